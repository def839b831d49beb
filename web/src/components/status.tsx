import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  Hammer,
  Info,
  Loader,
  TriangleAlert,
  type LucideIcon,
} from "lucide-react";
import type { BuildStatus, Run, RunStatus, Verdict, WaitingFor } from "~/api/types";
import { bandOf, priorityName } from "~/logic/priority";
import classes from "./status.module.css";

type Tone = "bad" | "warn" | "busy" | "quiet";

interface Look {
  label: string;
  tone: Tone | "good";
  icon: LucideIcon;
}

const RUNS: Record<RunStatus, Look> = {
  queued: { label: "Queued", tone: "quiet", icon: CircleDashed },
  running: { label: "Running", tone: "busy", icon: Loader },
  succeeded: { label: "Succeeded", tone: "quiet", icon: CircleCheck }, // that the process ended says nothing of the result
  failed: { label: "Failed", tone: "bad", icon: CircleAlert },
  cancelled: { label: "Cancelled", tone: "quiet", icon: Ban },
};

/** Green means one thing, here and on every page: the result can be used as it is. */
const VERDICTS: Record<Verdict, Look> = {
  ready: { label: "Ready", tone: "good", icon: CircleCheck },
  check: { label: "Check", tone: "warn", icon: TriangleAlert },
  not_usable: { label: "Not usable", tone: "bad", icon: CircleX },
};

const BUILDS: Record<BuildStatus, Look> = {
  queued: { label: "Queued", tone: "quiet", icon: CircleDashed },
  building: { label: "Building", tone: "busy", icon: Hammer },
  ready: { label: "Built", tone: "quiet", icon: CircleCheck }, // “Ready” is the word for results
  failed: { label: "Failed", tone: "bad", icon: CircleAlert },
  cancelled: { label: "Cancelled", tone: "quiet", icon: Ban },
  removed: { label: "Removed", tone: "quiet", icon: Ban },
};

export const WAITING: Record<WaitingFor, { label: string; why: string }> = {
  build: { label: "Waiting for build", why: "Its configuration is being built; that happens once." },
  earlier_phase: { label: "Waiting for an earlier phase", why: "The phase before it has not finished." },
  document_busy: { label: "Document is busy", why: "Another run of this document is running." },
  paused: { label: "Paused", why: "The queue, its priority, workspace or plan is paused." },
  capacity: { label: "Waiting for a free slot", why: "It starts when it is its turn and a worker has room." },
  workspace_cap: { label: "Workspace is at its cap", why: "Its workspace is at its limit of running runs." },
  start_rate: { label: "Waiting for the start rate", why: "A limited number of runs start within a second." },
  worker: { label: "Waiting for a worker", why: "No live worker can take it." },
  scheduled: { label: "Scheduled", why: "It was submitted for a later time." },
};

function Badge({ look, title, size = "sm" }: { look: Look; title?: string | undefined; size?: "sm" | "md" }) {
  const Icon = look.icon;
  return (
    <span
      className={classes.badge}
      title={title}
      data-tone={look.tone}
      data-size={size}
      data-spins={look.icon === Loader || undefined}
    >
      <Icon size={size === "sm" ? 14 : 16} aria-hidden />
      <span>{look.label}</span>
    </span>
  );
}

/** The state of a run: what a queued one waits for, and the verdict on one that succeeded. */
export function RunBadge({
  run,
  size,
}: {
  run: Pick<Run, "status"> &
    Partial<Pick<Run, "waiting_for" | "failure" | "verdict" | "verdict_reason" | "waiting_reason">>;
  size?: "sm" | "md";
}) {
  if (run.status === "queued" && run.waiting_for && run.waiting_for !== "capacity") {
    const waiting = WAITING[run.waiting_for];
    const icon = run.waiting_for === "build" ? Hammer : run.waiting_for === "paused" ? CirclePause : Clock;
    return (
      <Badge
        look={{ label: waiting.label, tone: "quiet", icon }}
        title={run.waiting_reason ?? waiting.why}
        {...(size && { size })}
      />
    );
  }
  if (run.status === "succeeded" && run.verdict)
    return <Badge look={VERDICTS[run.verdict]} title={run.verdict_reason ?? undefined} {...(size && { size })} />;
  return <Badge look={RUNS[run.status]} title={run.failure?.message} {...(size && { size })} />;
}

export function BuildBadge({ status }: { status: BuildStatus }) {
  return <Badge look={BUILDS[status]} />;
}

const SEVERITIES: Record<string, Look> = {
  error: { label: "Error", tone: "bad", icon: CircleAlert },
  warning: { label: "Warning", tone: "warn", icon: TriangleAlert },
  info: { label: "Info", tone: "busy", icon: Info },
};

export function SeverityBadge({ severity }: { severity: string }) {
  return <Badge look={SEVERITIES[severity] ?? { label: severity, tone: "quiet", icon: Info }} />;
}

/** A priority by its name, with the number for those who know them. */
export function PriorityBadge({ priority, effective }: { priority: number; effective?: number }) {
  const isAged = effective !== undefined && effective !== priority;
  const title = isAged ? `Priority ${priority}; it waited long and now counts as ${effective}` : `Priority ${priority}`;
  return (
    <span className={classes.priority} data-level={bandOf(priority).name} title={title}>
      {priorityName(priority)}
      {isAged && ` ↑ ${priorityName(effective)}`}
    </span>
  );
}

export function ToneBadge({ label, tone, icon }: { label: string; tone: Tone; icon: LucideIcon }) {
  return <Badge look={{ label, tone, icon }} />;
}
