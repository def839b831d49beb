import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { artifactQuery, recentRunsQuery, runLogEndQuery, runQuery } from "~/api/queries";
import type { Configuration } from "~/api/types";
import { DocumentSelect } from "~/components/DocumentSelect";
import { RunBadge } from "~/components/status";
import { tablesOf, type PlacedTable } from "~/logic/explain";
import { counted } from "~/logic/numbers";
import { useWorkspace } from "~/shell/workspace";
import classes from "./workbench.module.css";

interface Props {
  configuration: Configuration;
  documentId: string | null;
  runId: string | null;
  beforeId: string | null;
  /** The file in the editor. */
  file: string | null;
  onChoose: (documentId: string) => void;
}

/** A document to test with, and what the draft makes of it. */
export function SamplePane({ configuration, documentId, runId, beforeId, file, onChoose }: Props) {
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
        <SampleResult runId={runId} before={before} file={file} />
      ) : (
        <Text size="sm" c="dimmed" mt="md">
          A test run shows here what the draft makes of this document. It is never published and changes no other run.
        </Text>
      )}
    </aside>
  );
}

interface ResultProps {
  runId: string;
  before: string | null;
  file: string | null;
}

function SampleResult({ runId, before, file }: ResultProps) {
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
          <Link to="/compare" search={{ before, after: runId, ...(file && { file }) }} className="link">
            What changed
          </Link>
        )}
      </div>
      {run.failure && <Text size="sm">{run.failure.message}</Text>}
      {run.finished_at !== null && <Printed runId={runId} />}
      {artifact && (
        <>
          <Text size="sm" mb={6}>
            {counted(artifact.summary.rows.written, "row")}, {counted(artifact.summary.issues.total, "issue")}
          </Text>
          {tablesOf(artifact).map(({ sheet, table }) => (
            <MappingTable key={`${sheet} ${table.range}`} sheet={sheet} table={table} />
          ))}
        </>
      )}
    </div>
  );
}

/** What the rules printed, if anything. */
function Printed({ runId }: { runId: string }) {
  const text = useQuery(runLogEndQuery(runId)).data?.text.trim();
  if (!text) return null;
  return (
    <section aria-label="Printed by the rules">
      <Text size="sm" fw={600} mb={4}>
        Printed by the rules
      </Text>
      <pre className={classes.printed} tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}

function MappingTable({ sheet, table }: Pick<PlacedTable, "sheet" | "table">) {
  return (
    <table className={classes.mapping} aria-label={`Mapping of ${table.range}`}>
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
            <td data-unmapped={column.target === null || undefined}>
              {column.target ?? (column.reason === "ignored" ? "left out" : "not mapped")}
            </td>
            <td className="num">{column.score?.toFixed(2) ?? ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
