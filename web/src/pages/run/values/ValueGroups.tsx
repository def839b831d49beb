import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { labelOf, type Manifest } from "~/api/manifest";
import { issueValuesQuery } from "~/api/queries";
import type { Run, ValueCorrection, ValueGroup } from "~/api/types";
import { errorOf, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { fieldWords } from "~/logic/issues";
import { count, counted } from "~/logic/numbers";
import { byField, decidedOf, isCorrectable, type FieldValues } from "~/logic/values";
import { addPending, removePending, usePending, type Corrections } from "~/pages/review/pending";
import { useForbidden } from "~/shell/workspace";
import { SimilarValues } from "./SimilarValues";
import { ValueRow } from "./ValueRow";
import classes from "./values.module.css";

const FIRST = 30;

interface Props {
  /** Whose issues are shown. */
  run: Run;
  /** The run whose pending corrections these become. */
  pendingRunId: string;
  manifest: Manifest | null;
  /** Only these fields and rules; all without. */
  isShown?: (group: ValueGroup) => boolean;
}

/** What the cells with issues hold, by field; each value is decided about once, for all of its cells. */
export function ValueGroups({ run, pendingRunId, manifest, isShown = () => true }: Props) {
  // What was there stays until the next result is known: the keyboard is in it, and sections are open.
  const found = useQuery({ ...issueValuesQuery(run.id), placeholderData: keepPreviousData });
  if (errorOf(found)) return <ErrorPanel error={errorOf(found)} onAgain={() => void found.refetch()} />;
  if (!found.data) return <RowsSkeleton />;
  const { items, group_count: all, is_complete: isComplete } = found.data;
  const fields = byField(items.filter(isShown));
  if (fields.length === 0) return <p className={classes.hint}>No issue here is about the value of a cell.</p>;
  return (
    <div className={classes.fields}>
      {(all > items.length || !isComplete) && (
        <p className={classes.hint} role="status">
          {isComplete
            ? `The ${count(items.length)} most frequent of ${counted(all, "value")} are listed.`
            : "There are too many issues to read all of their cells: these are the values of the first ones."}
        </p>
      )}
      {fields.map((one) => (
        <FieldSection key={one.field} values={one} run={run} pendingRunId={pendingRunId} manifest={manifest} />
      ))}
    </div>
  );
}

type SectionProps = Omit<Props, "isShown"> & { values: FieldValues };

function FieldSection({ values, run, pendingRunId, manifest }: SectionProps) {
  const [isOpen, setOpen] = useState(false);
  const pending = usePending(pendingRunId);
  const forbidden = useForbidden("operator");
  const decide = (...made: ValueCorrection[]): void => addPending(pendingRunId, ...made);
  const known = manifest?.fields.find((one) => one.name === values.field);
  const label = known ? labelOf(manifest, values.field) : fieldWords(values.field);
  const shown = isOpen ? values.groups : values.groups.slice(0, FIRST);
  return (
    <section className={`card ${classes.field}`} aria-label={`Values of ${label}`}>
      <header>
        <h3>{label}</h3>
        <span className={classes.hint}>
          {counted(values.groups.length, "value")} in {counted(values.count, "cell")}
        </span>
        <AllEmpty values={values} pending={pending} onDecide={decide} />
      </header>
      {!known?.choices && !forbidden && <SimilarValues values={values} onDecide={decide} />}
      <ul>
        {shown.map((group) => (
          <ValueRow
            key={`${group.rule} ${group.severity} ${group.value ?? ""}`}
            run={run}
            group={group}
            choices={known?.choices ?? null}
            decided={decidedOf(group, pending)}
            onDecide={decide}
            onUndo={(made) => removePending(pendingRunId, made)}
          />
        ))}
      </ul>
      {shown.length < values.groups.length && (
        <Button size="compact-sm" variant="subtle" onClick={() => setOpen(true)}>
          Show {counted(values.groups.length - shown.length, "more value")}
        </Button>
      )}
    </section>
  );
}

interface AllProps {
  values: FieldValues;
  pending: Corrections;
  onDecide: (...made: ValueCorrection[]) => void;
}

/** Makes all values of a field empty that nothing was decided about, where there are several. */
function AllEmpty({ values, pending, onDecide }: AllProps) {
  const forbidden = useForbidden("operator");
  const open = values.groups.filter((group) => isCorrectable(group) && !decidedOf(group, pending));
  const distinct = [...new Set(open.map(({ value }) => value as string))];
  if (distinct.length < 2 || forbidden) return null;
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() =>
        onDecide(...distinct.map((value) => ({ kind: "value" as const, field: values.field, value, new: null })))
      }
    >
      Make all {count(distinct.length)} empty
    </Button>
  );
}
