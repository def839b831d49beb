import { Select, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { artifactQuery, documentsQuery, recentRunsQuery, runQuery } from "~/api/queries";
import type { Configuration } from "~/api/types";
import { RunBadge } from "~/components/status";
import { tablesOf } from "~/logic/explain";
import { counted } from "~/logic/numbers";
import { useWorkspace } from "~/shell/workspace";
import classes from "./workbench.module.css";

interface Props {
  configuration: Configuration;
  documentId: string | null;
  runId: string | null;
  beforeId: string | null;
  onChoose: (documentId: string) => void;
}

/** A document to test with, and what the draft makes of it. */
export function SamplePane({ configuration, documentId, runId, beforeId, onChoose }: Props) {
  const { workspace } = useWorkspace();
  const documents = useInfiniteQuery(documentsQuery(workspace.id, {})).data?.pages[0]?.items ?? [];
  const filter = { configuration_id: configuration.id, document_id: documentId ?? undefined, status: "succeeded" };
  const published = useQuery({
    ...recentRunsQuery(workspace.id, filter, 20),
    enabled: documentId !== null,
  }).data?.items.find((run) => !run.is_test);
  const before = beforeId ?? published?.id ?? null;
  return (
    <aside className={classes.sample} aria-label="Sample">
      <Select
        label="Test with"
        placeholder={documents.length ? "Choose a document" : "Upload a document first"}
        searchable
        data={documents.map((one) => ({ value: one.id, label: one.name }))}
        value={documentId}
        onChange={(value) => value && onChoose(value)}
      />
      {runId ? (
        <SampleResult runId={runId} before={before} />
      ) : (
        <Text size="sm" c="dimmed" mt="md">
          A test run shows here what the draft makes of this document. It is never published and changes no other run.
        </Text>
      )}
    </aside>
  );
}

function SampleResult({ runId, before }: { runId: string; before: string | null }) {
  const run = useQuery(runQuery(runId)).data;
  const artifact = useQuery({ ...artifactQuery(runId), enabled: run?.status === "succeeded" }).data;
  if (!run) return null;
  return (
    <div className={classes.result}>
      <div className={classes.resultHead}>
        <RunBadge run={run} />
        <Link to="/runs/$runId" params={{ runId }} className="link">
          Open the run
        </Link>
        {before && before !== runId && run.status === "succeeded" && (
          <Link to="/compare" search={{ before, after: runId }} className="link">
            What changed
          </Link>
        )}
      </div>
      {run.failure && <Text size="sm">{run.failure.message}</Text>}
      {artifact && (
        <>
          <Text size="sm" mb={6}>
            {counted(artifact.summary.rows.written, "row")}, {counted(artifact.summary.issues.total, "issue")}
          </Text>
          {tablesOf(artifact).map(({ sheet, table }) => (
            <table key={`${sheet} ${table.range}`} className={classes.mapping} aria-label={`Mapping of ${table.range}`}>
              <caption>
                {sheet} <span className="mono">{table.range}</span>
              </caption>
              <tbody>
                {table.columns.map((column) => (
                  <tr key={column.source}>
                    <td className="mono">{column.source}</td>
                    <td>{column.header}</td>
                    <td>
                      <ArrowRight size={13} aria-label="becomes" />
                    </td>
                    <td data-unmapped={column.target === null || undefined}>{column.target ?? "not mapped"}</td>
                    <td className="num">{column.score?.toFixed(2) ?? ""}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          ))}
        </>
      )}
    </div>
  );
}
