import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { runQuery } from "~/api/queries";
import type { Configuration, ConfigurationFile, Run } from "~/api/types";
import { useSaveCase } from "~/components/useSaveCase";
import { counted } from "~/logic/numbers";
import { CaseResults } from "./CaseResults";
import { useTests } from "./PublishModal";
import classes from "./workbench.module.css";

interface Props {
  configuration: Configuration;
  files: ConfigurationFile[];
  runId: string | null;
  forbidden: string | null;
}

/** The cases of the draft: documents whose results are known to be right, run before it is published or at any time. */
export function CasesPanel({ configuration, files, runId, forbidden }: Props) {
  const { tests, start } = useTests(configuration.id, configuration.draft_version !== null);
  const run = useQuery({ ...runQuery(runId ?? ""), enabled: runId !== null }).data;
  return (
    <section className={classes.cases} aria-label="Cases of the draft">
      {tests && tests.status !== "none" ? (
        <CaseResults tests={tests} isPending={start.isPending} onTest={() => start.mutate()} forbidden={forbidden} />
      ) : (
        <Text size="sm" c="dimmed">
          {adviceOf(files)}
        </Text>
      )}
      {run?.status === "succeeded" && <SaveButton run={run} forbidden={forbidden} />}
    </section>
  );
}

function adviceOf(files: ConfigurationFile[]): string {
  const names = new Set(files.flatMap(({ path }) => /^tests\/([^/]+)\//.exec(path)?.[1] ?? []));
  if (names.size > 0) return `${counted(names.size, "case")}. The first change starts a draft, which they can test.`;
  return "There is no case yet. Save a test run with a correct result as a case: drafts are tested against it before they are published.";
}

function SaveButton({ run, forbidden }: { run: Run; forbidden: string | null }) {
  const save = useSaveCase(run);
  return (
    <Group mt="xs">
      <Button
        size="compact-sm"
        variant="default"
        loading={save.isPending}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        onClick={() => save.mutate()}
      >
        Save this result as a case
      </Button>
    </Group>
  );
}
