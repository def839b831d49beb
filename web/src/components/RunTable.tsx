import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Summary } from "~/api/artifact";
import type { Run } from "~/api/types";
import { count } from "~/logic/numbers";
import { duration, secondsBetween } from "~/logic/time";
import { RunBadge } from "./status";
import { Time, useNow } from "./Time";
import { VirtualTable, type Column } from "./VirtualTable";

const COLUMNS: Column<Run>[] = [
  {
    id: "document",
    header: "Document",
    cell: (run) => (
      <Link to="/runs/$runId" params={{ runId: run.id }} className="link">
        {run.document_name}
      </Link>
    ),
  },
  { id: "status", header: "Status", width: "190px", cell: (run) => <RunBadge run={run} /> },
  {
    id: "configuration",
    header: "Configuration",
    width: "22%",
    from: "md",
    cell: (run) => `${run.configuration_name} · ${run.is_test ? "draft" : `v${run.version}`}`,
  },
  {
    id: "issues",
    header: "Issues",
    width: "90px",
    align: "right",
    from: "md",
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
  onEnd,
}: {
  runs: Run[];
  label: string;
  lead?: Column<Run>;
  onEnd?: () => void;
}) {
  const navigate = useNavigate();
  return (
    <VirtualTable
      label={label}
      rows={runs}
      columns={lead ? [lead, ...COLUMNS] : COLUMNS}
      keyOf={(run) => run.id}
      onOpen={(run) => void navigate({ to: "/runs/$runId", params: { runId: run.id } })}
      {...(onEnd && { onEnd })}
    />
  );
}

/** How many issues a run found: from its metrics, where it has them. */
export function issueCountOf(run: Run): number | null {
  return summaryOf(run)?.issues?.total ?? null;
}

/** What the engine counted, once the run has finished. */
export function summaryOf(run: Run): Partial<Summary> | null {
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
