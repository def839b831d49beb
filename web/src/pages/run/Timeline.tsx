import { Check, Circle, CircleDot, Minus, X, type LucideIcon } from "lucide-react";
import { Link } from "@tanstack/react-router";
import type { Run, RunEvent } from "~/api/types";
import { timeline, type StageState } from "~/logic/timeline";
import classes from "./run.module.css";

const ICONS: Record<StageState, LucideIcon> = {
  done: Check,
  active: CircleDot,
  pending: Circle,
  failed: X,
  stopped: Minus,
};
const WORDS: Record<StageState, string> = {
  done: "done",
  active: "now",
  pending: "not yet",
  failed: "failed here",
  stopped: "cancelled here",
};

function isTold(state: StageState): boolean {
  return state === "done" || state === "active";
}

export function Timeline({ run, events }: { run: Run; events: RunEvent[] }) {
  const isShort = run.status === "succeeded";
  return (
    <ol
      className={`${isShort ? "" : "card "}scrolls ${classes.timeline}`}
      data-compact={isShort || undefined}
      aria-label="Progress"
    >
      {timeline(run, events).map((stage) => {
        const Icon = ICONS[stage.state];
        return (
          <li key={stage.name} data-state={stage.state}>
            <span className={classes.dot}>
              <Icon size={13} aria-hidden />
            </span>
            {stage.name === "Build" ? (
              <Link to="/builds/$buildId" params={{ buildId: run.build_id }}>
                {stage.name}
              </Link>
            ) : (
              <span>{stage.name}</span>
            )}
            <small>{(isTold(stage.state) && stage.note) || WORDS[stage.state]}</small>
          </li>
        );
      })}
    </ol>
  );
}
