import { Link } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import type { Run } from "~/api/types";
import { WAITING } from "~/components/status";
import { useNow } from "~/components/Time";
import { startRange } from "~/logic/time";
import classes from "./run.module.css";

/** Why a run has not started, and when it will. */
export function WaitingPanel({ run }: { run: Run }) {
  const now = useNow();
  const waiting = WAITING[run.waiting_for ?? "capacity"];
  const isEstimated = run.estimated_start !== null;
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
