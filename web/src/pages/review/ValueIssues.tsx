import { Button, Group, Text, TextInput, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Artifact } from "~/api/artifact";
import { labelOf, type Manifest } from "~/api/manifest";
import type { Run } from "~/api/types";
import { issuesOf } from "~/logic/explain";
import { issueRuleWords } from "~/logic/issues";
import { count, counted } from "~/logic/numbers";
import { valueCorrections, valueGroups, type ValueGroup, type ValueOfGroup } from "~/logic/valueGroups";
import { useForbidden } from "~/shell/workspace";
import { addPending } from "./pending";
import classes from "./review.module.css";
import { useIssueCells } from "./useIssueCells";

interface Props {
  run: Run;
  artifact: Artifact;
  /** The run whose corrections these are. */
  pendingRunId: string;
  manifest: Manifest | null;
}

const MOST_VALUES = 8;

/** What is wrong with values: one decision for all cells that hold the same. */
export function ValueIssues({ run, artifact, pendingRunId, manifest }: Props) {
  const issues = useMemo(() => issuesOf(artifact), [artifact]);
  const cellOf = useIssueCells(run, issues);
  const groups = useMemo(() => valueGroups(issues, cellOf), [issues, cellOf]);
  if (groups.length === 0) return null;
  const total = artifact.summary.issues.total;
  return (
    <section className="card" aria-label="Values">
      <div className={classes.head}>
        <Title order={2} size="h5">
          Values
        </Title>
        <Link className="link" to="/runs/$runId" params={{ runId: run.id }} search={{ tab: "issues" }}>
          All {counted(total, "issue")}
        </Link>
      </div>
      {groups.map((group) => (
        <Group_
          key={`${group.field} ${group.rule}`}
          group={group}
          label={labelOf(manifest, group.field)}
          runId={pendingRunId}
        />
      ))}
    </section>
  );
}

interface GroupProps {
  group: ValueGroup;
  label: string;
  runId: string;
}

function Group_({ group, label, runId }: GroupProps) {
  const forbidden = useForbidden("operator");
  const values = group.values.map(({ value }) => value);
  const replace = (some: string[], becomes: string | null): void =>
    addPending(runId, ...valueCorrections(group.field, some, becomes));
  const shown = group.values.slice(0, MOST_VALUES);
  return (
    <div className={classes.group} role="group" aria-label={`${label}: ${issueRuleWords(group.rule)}`}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <strong>{label}</strong>: {counted(group.count, "cell")} {group.message}
        </Text>
        {values.length > 1 && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={forbidden !== null}
            title={forbidden ?? undefined}
            onClick={() => replace(values, null)}
          >
            Make all {count(values.length)} empty
          </Button>
        )}
      </Group>
      <ul className={classes.list}>
        {shown.map((one) => (
          <ValueRow key={one.value} one={one} label={label} forbidden={forbidden} onReplace={replace} />
        ))}
      </ul>
      {values.length > shown.length && (
        <Text size="sm" c="dimmed">
          and {counted(values.length - shown.length, "more value")}
        </Text>
      )}
    </div>
  );
}

interface RowProps {
  one: ValueOfGroup;
  label: string;
  forbidden: string | null;
  onReplace: (values: string[], becomes: string | null) => void;
}

function ValueRow({ one, label, forbidden, onReplace }: RowProps) {
  const [typed, setTyped] = useState("");
  const common = { size: "compact-sm", variant: "default", disabled: forbidden !== null } as const;
  return (
    <li>
      <span className={classes.value}>
        “{one.value}” {one.count > 1 && <small>× {count(one.count)}</small>}
      </span>
      <Group gap={6} component="form" {...submitting(() => typed.trim() && onReplace([one.value], typed.trim()))}>
        {one.nearest !== null && (
          <Button {...common} variant="light" onClick={() => onReplace([one.value], one.nearest)}>
            It is {one.nearest}
          </Button>
        )}
        <TextInput
          size="xs"
          w={130}
          placeholder="Replace by…"
          aria-label={`Replace “${one.value}” in ${label} by`}
          disabled={forbidden !== null}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {typed.trim() && (
          <Button {...common} type="submit">
            Replace
          </Button>
        )}
        <Button
          {...common}
          aria-label={`Make “${one.value}” in ${label} empty`}
          onClick={() => onReplace([one.value], null)}
        >
          Empty
        </Button>
      </Group>
    </li>
  );
}

function submitting(act: () => void): { onSubmit: (event: { preventDefault: () => void }) => void } {
  return {
    onSubmit: (event) => {
      event.preventDefault();
      act();
    },
  };
}
