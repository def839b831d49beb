import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { queueQuery } from "~/api/queries";
import type { Pause, Run } from "~/api/types";
import { WAITING } from "~/components/status";
import { useNow } from "~/components/Time";
import { startRange } from "~/logic/time";
import { PauseBanner } from "../queue/PauseBanner";
import classes from "./run.module.css";

/** Whether a pause holds a run back. */
function covers(pause: Pause, run: Run): boolean {
  const values = { all: null, priority: String(run.priority), workspace: run.workspace_id, plan: run.plan_id };
  return pause.scope === "all" || values[pause.scope] === pause.value;
}

/** Why a run has not started, and when it will. */
export function WaitingPanel({ run }: { run: Run }) {
  const now = useNow();
  const waiting = WAITING[run.waiting_for ?? "capacity"];
  const isEstimated = run.estimated_start !== null;
  const pauses = useQuery({ ...queueQuery, enabled: run.waiting_for === "paused" }).data?.pauses ?? [];
  const over = run.waiting_for === "paused" ? pauses.filter((pause) => covers(pause, run)) : [];
  if (over.length > 0)
    return (
      <section aria-label="Why it waits">
        {over.map((pause) => (
          <PauseBanner key={pause.id} pause={pause} />
        ))}
      </section>
    );
  return (
    <section className={`card ${classes.waiting}`} aria-label="Why it waits">
      <Hourglass size={20} aria-hidden />
      <div>
        <strong>{waiting.label}</strong>
        <p>
          {run.waiting_reason ?? waiting.why}
          {isEstimated && ` It should start ${startRange(run.estimated_start, now)}.`}{" "}
          <Link to="/queue" className="link">
            {run.position === null ? "See the queue" : `See the queue, where it is #${run.position}`}
          </Link>
        </p>
      </div>
    </section>
  );
}
