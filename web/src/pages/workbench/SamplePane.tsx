import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { recentRunsQuery, runQuery } from "~/api/queries";
import type { Configuration, ConfigurationFile } from "~/api/types";
import { DocumentSelect } from "~/components/DocumentSelect";
import { useWorkspace } from "~/shell/workspace";
import { CasesPanel } from "./CasesPanel";
import { SampleResult } from "./SampleResult";
import classes from "./workbench.module.css";

interface Props {
  configuration: Configuration;
  files: ConfigurationFile[];
  forbidden: string | null;
  documentId: string | null;
  runId: string | null;
  beforeId: string | null;
  /** The file in the editor. */
  file: string | null;
  onChoose: (documentId: string) => void;
}

/** A document to test with, and what the draft makes of it. */
export function SamplePane({ configuration, files, forbidden, documentId, runId, beforeId, file, onChoose }: Props) {
  const { workspace } = useWorkspace();
  const filter = { configuration_id: configuration.id, document_id: documentId ?? undefined, status: "succeeded" };
  const published = useQuery({
    ...recentRunsQuery(workspace.id, filter, 20),
    enabled: documentId !== null,
  }).data?.items.find((run) => !run.is_test);
  const earlier = useQuery({ ...runQuery(beforeId ?? ""), enabled: beforeId !== null }).data;
  const before = earlier?.status === "succeeded" ? earlier.id : (published?.id ?? null);
  return (
    <aside className={classes.sample} aria-label="Sample">
      <DocumentSelect label="Test with" documentId={documentId} onChoose={onChoose} />
      {runId ? (
        <SampleResult key={runId} runId={runId} before={before} file={file} />
      ) : (
        <Text size="sm" c="dimmed" mt="md">
          A test run shows here what the draft makes of this document. It is never published and changes no other run.
        </Text>
      )}
      <CasesPanel configuration={configuration} files={files} forbidden={forbidden} runId={runId} />
    </aside>
  );
}
