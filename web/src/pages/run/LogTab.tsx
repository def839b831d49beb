import { Button, SegmentedControl, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Download, Search } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { addressOf } from "~/api/client";
import { runLogQuery } from "~/api/queries";
import type { Run, RunEvent } from "~/api/types";
import { logLines, type LogLine } from "~/logic/log";
import { counted } from "~/logic/numbers";
import classes from "./run.module.css";

const route = getRouteApi("/runs/$runId");
const RANK = { info: 0, warning: 1, error: 2 };

/** What happened, line by line, as it happens. */
export default function LogTab({ run, events }: { run: Run; events: RunEvent[] }) {
  const search = route.useSearch();
  const isOver = run.finished_at !== null;
  const output = useQuery({ ...runLogQuery(run.id), enabled: run.started_at !== null, retry: false });
  const { refetch } = output;
  useEffect(() => {
    if (isOver) void refetch();
  }, [isOver, refetch]);
  const lines = useMemo(() => logLines(events, output.data?.text ?? ""), [events, output.data]);
  const [words, setWords] = useState("");
  const [isFollowing, setFollowing] = useState(!search.line);
  const level = (search.level ?? "info") as keyof typeof RANK;
  const shown = useMemo(
    () =>
      lines.filter((line) => RANK[line.level] >= RANK[level] && line.text.toLowerCase().includes(words.toLowerCase())),
    [lines, level, words],
  );
  const navigate = useNavigate({ from: "/runs/$runId" });
  return (
    <div className="card">
      <div className={classes.logBar}>
        <SegmentedControl
          size="xs"
          aria-label="Level"
          data={[
            { value: "info", label: "All" },
            { value: "warning", label: "Warnings" },
            { value: "error", label: "Errors" },
          ]}
          value={level}
          onChange={(chosen) =>
            void navigate({
              search: { tab: "log", ...(chosen !== "info" && { level: chosen }) },
              replace: true,
              resetScroll: false,
            })
          }
        />
        <TextInput
          size="xs"
          data-search
          aria-label="Find in the log"
          placeholder="Find"
          leftSection={<Search size={14} aria-hidden />}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <Switch
          size="sm"
          label="Follow"
          checked={isFollowing}
          onChange={(event) => setFollowing(event.currentTarget.checked)}
        />
        <span style={{ flex: 1 }} />
        <span className={classes.letter}>{counted(shown.length, "line")}</span>
        <Button
          component="a"
          size="compact-xs"
          variant="default"
          leftSection={<Download size={13} />}
          href={addressOf(`/runs/${run.id}/events.ndjson`)}
          download={`events-${run.id}.ndjson`}
        >
          Events
        </Button>
      </div>
      <Lines
        lines={shown}
        chosen={search.line ? Number(search.line) : null}
        isFollowing={isFollowing}
        onScrollUp={() => setFollowing(false)}
      />
    </div>
  );
}

function Lines({
  lines,
  chosen,
  isFollowing,
  onScrollUp,
}: {
  lines: LogLine[];
  chosen: number | null;
  isFollowing: boolean;
  onScrollUp: () => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 22,
    overscan: 30,
  });
  const count = lines.length;
  useEffect(() => {
    if (isFollowing && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [isFollowing, count, virtual]);
  const place = chosen === null ? -1 : lines.findIndex((line) => line.number === chosen);
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place, { align: "center" });
  }, [place, virtual]);
  return (
    <div
      ref={frame}
      className={classes.log}
      tabIndex={0}
      role="log"
      aria-label="Log"
      aria-live="off"
      onWheel={(event) => {
        if (event.deltaY < 0) onScrollUp();
      }}
    >
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (!line) return null;
          return (
            <div
              key={line.number}
              className={classes.logLine}
              data-level={line.level}
              data-chosen={line.number === chosen || undefined}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <a href={`?tab=log&line=${line.number}`} aria-label={`Link to line ${line.number}`}>
                {line.number}
              </a>
              <time>{line.at ? line.at.slice(11, 23) : ""}</time>
              <span>{line.text}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
