import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert } from "lucide-react";
import { runLogEndQuery } from "~/api/queries";
import type { Run, RunEvent } from "~/api/types";
import { logLines } from "~/logic/log";
import classes from "./run.module.css";

const TITLES: Record<string, string> = {
  build_failed: "The configuration could not be built",
  earlier_phase_failed: "An earlier phase failed",
  timed_out: "It took too long",
  process_terminated: "Its process was ended",
  configuration_error: "A rule of the configuration failed",
  input_error: "The document could not be read",
  resource_limit: "It needed more than it may use",
  isolation_unavailable: "It could not be isolated well enough",
  internal_error: "Something went wrong on our side",
};
const LAST_LINES = 20;

/** Why a run failed and the last it said, before anything else on the page. */
export function FailurePanel({ run, events }: { run: Run; events: RunEvent[] }) {
  const log = useQuery(runLogEndQuery(run.id)).data?.text ?? "";
  const lines = logLines(events, log).slice(-LAST_LINES);
  if (!run.failure) return null;
  return (
    <section className={classes.failure} aria-label="Failure">
      <div className={classes.failureHead}>
        <CircleAlert size={20} aria-hidden />
        <div>
          <Text fw={650}>{TITLES[run.failure.code] ?? "The run failed"}</Text>
          <Text>{run.failure.message}</Text>
          <Text size="sm" c="dimmed" mt={2}>
            <span className="mono">{run.failure.code}</span>
            {run.failure.resource && ` · ${run.failure.resource}`}
            {run.failure.code === "build_failed" && (
              <>
                {" · "}
                <Link to="/builds/$buildId" params={{ buildId: run.build_id }} className="link">
                  the build&rsquo;s log
                </Link>
              </>
            )}
          </Text>
        </div>
      </div>
      {lines.length > 0 && (
        <pre className={classes.tail} tabIndex={0} aria-label="The last lines of the log">
          {lines.map((line) => (
            <span key={line.number} data-level={line.level}>
              {line.text}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
    </section>
  );
}
