import { Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { artifactQuery, runLogEndQuery, runQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { RunBadge } from "~/components/status";
import { outputNumber, tablesOf, type PlacedTable } from "~/logic/explain";
import { counted } from "~/logic/numbers";
import { SampleRows } from "./SampleRows";
import classes from "./workbench.module.css";

interface Props {
  runId: string;
  /** The run to compare it with. */
  before: string | null;
  /** The file in the editor. */
  file: string | null;
}

/** What a test run came to: what its rules printed, what was mapped, and the first rows. */
export function SampleResult({ runId, before, file }: Props) {
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
      {run.verdict_reason && <Text size="sm">{run.verdict_reason}</Text>}
      {run.started_at !== null && <Printed run={run} />}
      {artifact && (
        <>
          <Text size="sm" mb={6}>
            {counted(artifact.summary.rows.written, "row")}, {counted(artifact.summary.issues.total, "issue")}
          </Text>
          {tablesOf(artifact).map(({ sheet, table }) => (
            <div key={`${sheet} ${table.range}`}>
              <MappingTable sheet={sheet} table={table} />
              <SampleRows runId={runId} table={table} outputSheet={outputNumber(artifact, table)} />
            </div>
          ))}
        </>
      )}
    </div>
  );
}

/** What the rules printed so far, if anything. */
function Printed({ run }: { run: Run }) {
  const log = useQuery({
    ...runLogEndQuery(run.id, run.finished_at !== null),
    placeholderData: keepPreviousData, // what was read while it ran stays until the end of it is read
  });
  const text = log.data?.text.trim();
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
