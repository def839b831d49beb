import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, SquarePen } from "lucide-react";
import { runLogEndQuery } from "~/api/queries";
import type { Run, RunEvent } from "~/api/types";
import { logLines, type LogLine } from "~/logic/log";
import { failureTitle } from "~/logic/failures";
import classes from "./run.module.css";

const LAST_LINES = 20;
const PLACE = /^([\w./-]+\.(?:py|toml)), line (\d+)/;
// Every run begins and ends with these, and the failure is above; the log has them all.
const UNTOLD = /^(step\.|engine\.run\.|run\.)/;

function isTelling(event: RunEvent): boolean {
  return !UNTOLD.test(event.type);
}

/** What was said last is seen first. */
function toTheEnd(element: HTMLElement | null): void {
  element?.scrollTo(0, element.scrollHeight);
}

/** Why a run failed and the last it said, before anything else on the page. */
export function FailurePanel({ run, events }: { run: Run; events: RunEvent[] }) {
  const log = useQuery(runLogEndQuery(run.id)).data?.text ?? "";
  const lines = logLines(events.filter(isTelling), log).slice(-LAST_LINES);
  if (!run.failure) return null;
  const place = PLACE.exec(run.failure.message);
  return (
    <section className={classes.failure} aria-label="Failure">
      <div className={classes.failureHead}>
        <CircleAlert size={20} aria-hidden />
        <div>
          <Text fw={650}>{failureTitle(run.failure)}</Text>
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
          {place?.[1] && place[2] && <OpenFile run={run} file={place[1]} line={place[2]} />}
        </div>
      </div>
      {lines.length > 0 && <LastLines lines={lines} />}
    </section>
  );
}

function LastLines({ lines }: { lines: LogLine[] }) {
  return (
    <pre ref={toTheEnd} className={classes.tail} tabIndex={0} aria-label="The last lines of the log">
      {lines.map((line) => (
        <span key={line.number} data-level={line.level}>
          {line.text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

interface FileProps {
  run: Run;
  file: string;
  line: string;
}

function OpenFile({ run, file, line }: FileProps) {
  return (
    <Button
      component={Link}
      {...({
        to: "/configurations/$configurationId/edit",
        params: { configurationId: run.configuration_id },
        search: { file, line, document: run.input_document_id },
      } as object)}
      size="xs"
      mt="xs"
      variant="default"
      leftSection={<SquarePen size={14} />}
    >
      Open {file}
    </Button>
  );
}
