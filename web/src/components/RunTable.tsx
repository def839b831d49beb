import { useNavigate } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import type { Summary } from "~/api/artifact";
import type { Run } from "~/api/types";
import { count } from "~/logic/numbers";
import { duration, secondsBetween } from "~/logic/time";
import { runKind, versionName } from "~/logic/runs";
import { RowLink } from "./RowLink";
import { RunBadge } from "./status";
import { Time, useNow } from "./Time";
import { VirtualTable, type Column } from "./VirtualTable";

const DOCUMENT: Column<Run> = {
  id: "document",
  header: "Document",
  cell: (run) => (
    <RowLink to="/runs" id={run.id} title={run.document_name}>
      {run.document_name}
    </RowLink>
  ),
};

/** In the place of the document, where all are of the same. */
const RUN: Column<Run> = {
  id: "run",
  header: "Run",
  cell: (run) => (
    <RowLink to="/runs" id={run.id}>
      {runKind(run)} <span className="mono">{run.id.slice(-12)}</span>
    </RowLink>
  ),
};

const COLUMNS: Column<Run>[] = [
  // Wide enough for "Waiting for a free slot" where there is room, and for "Not usable" where there is little.
  { id: "status", header: "Status", width: "min(214px, 36vw)", cell: (run) => <RunBadge run={run} /> },
  {
    id: "configuration",
    header: "Configuration",
    width: "20%",
    from: "md",
    cell: (run) => `${run.configuration_name} · ${versionName(run)}`,
  },
  {
    id: "issues",
    header: "Issues",
    width: "min(90px, 15vw)",
    align: "right",
    cell: (run) => <IssueCount run={run} />,
  },
  { id: "took", header: "Took", width: "100px", align: "right", from: "lg", cell: (run) => <Took run={run} /> },
  {
    id: "created",
    header: "Submitted",
    width: "140px",
    align: "right",
    from: "sm",
    cell: (run) => <Time at={run.created_at} />,
  },
];

/** Runs, newest first. */
export function RunTable({
  runs,
  label,
  lead,
  isOfOneDocument = false,
  onEnd,
}: {
  runs: Run[];
  label: string;
  lead?: Column<Run>;
  isOfOneDocument?: boolean;
  onEnd?: () => void;
}) {
  const navigate = useNavigate();
  const columns = useMemo(
    () => [...(lead ? [lead] : []), isOfOneDocument ? RUN : DOCUMENT, ...COLUMNS],
    [lead, isOfOneDocument],
  );
  return (
    <VirtualTable
      label={label}
      rows={runs}
      columns={columns}
      keyOf={(run) => run.id}
      onOpen={(run) => void navigate({ to: "/runs/$runId", params: { runId: run.id } })}
      {...(onEnd && { onEnd })}
    />
  );
}

/** How many issues a run found; null without a result: nothing was looked through to its end. */
function issueCountOf(run: Run): number | null {
  return run.status === "succeeded" ? (summaryOf(run)?.issues?.total ?? null) : null;
}

/** What the engine counted, once the run has finished. */
function summaryOf(run: Run): Partial<Summary> | null {
  const summary = run.metrics?.summary;
  return typeof summary === "object" && summary !== null ? (summary as Partial<Summary>) : null;
}

function IssueCount({ run }: { run: Run }): ReactNode {
  const issues = issueCountOf(run);
  return <span className="num">{issues === null ? "–" : count(issues)}</span>;
}

export function Took({ run }: { run: Pick<Run, "started_at" | "finished_at"> }) {
  const now = useNow();
  if (!run.started_at) return <span>–</span>;
  return <span className="num">{duration(Math.max(0, secondsBetween(run.started_at, run.finished_at ?? now)))}</span>;
}
