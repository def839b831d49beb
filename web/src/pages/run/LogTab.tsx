import { Button, SegmentedControl, Switch, TextInput } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { Download, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { addressOf } from "~/api/client";
import type { Run, RunEvent } from "~/api/types";
import type { Level, LogLine } from "~/logic/log";
import { bytes, counted } from "~/logic/numbers";
import classes from "./run.module.css";
import { useLogText, type LogState } from "./useLogText";
import { useShownLines, type ShownLines } from "./useShownLines";

const route = getRouteApi("/runs/$runId");

/** What happened, line by line, as it happens. */
export default function LogTab({ run, events }: { run: Run; events: RunEvent[] }) {
  const search = route.useSearch();
  const isOver = run.finished_at !== null;
  const printed = useLogText(`/runs/${run.id}/logs`, run.started_at !== null, isOver);
  const [words, setWords] = useState("");
  const [isFollowing, setFollowing] = useState(!search.line && !isOver);
  const level = (search.level ?? "info") as Level;
  const lines = useShownLines(events, printed, isOver && !printed.isLoading, level, words);
  return (
    <div className="card">
      <div className={classes.logBar}>
        <LevelChoice level={level} />
        <Find words={words} onChange={setWords} />
        <Switch
          size="sm"
          label="Follow"
          checked={isFollowing}
          onChange={(event) => setFollowing(event.currentTarget.checked)}
        />
        <span style={{ flex: 1 }} />
        <span className={classes.letter} role="status">
          {lineWords(lines, printed)}
        </span>
        <Downloads run={run} hasLog={printed.total > 0} />
      </div>
      <Lines
        lines={lines}
        chosen={search.line ? Number(search.line) : null}
        isFollowing={isFollowing}
        onScrollUp={() => setFollowing(false)}
      />
    </div>
  );
}

function lineWords(lines: ShownLines, printed: LogState): string {
  const shown = counted(lines.count, "line");
  if (printed.isLoading) return `${shown}, loading ${bytes(printed.log.size)} of ${bytes(printed.total)}`;
  if (lines.isSearching) return `${shown}, searching…`;
  return printed.skipped > 0 ? `${shown}; the first ${bytes(printed.skipped)} are left out` : shown;
}

interface LinesProps {
  lines: ShownLines;
  chosen: number | null;
  isFollowing: boolean;
  onScrollUp: () => void;
}

function Lines({ lines, chosen, isFollowing, onScrollUp }: LinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.count,
    getScrollElement: () => frame.current,
    estimateSize: () => 24,
    overscan: 30,
  });
  useScrolled(virtual, lines, chosen, isFollowing);
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
          const line = lines.at(item.index);
          if (!line) return null;
          return <Line key={line.number} line={line} isChosen={line.number === chosen} start={item.start} />;
        })}
      </div>
    </div>
  );
}

function LevelChoice({ level }: { level: Level }) {
  const navigate = useNavigate({ from: "/runs/$runId" });
  return (
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
  );
}

function Downloads({ run, hasLog }: { run: Run; hasLog: boolean }) {
  return (
    <>
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
      {hasLog && (
        <Button
          component="a"
          size="compact-xs"
          variant="default"
          leftSection={<Download size={13} />}
          href={addressOf(`/runs/${run.id}/logs`)}
          download={`log-${run.id}.txt`}
        >
          Log
        </Button>
      )}
    </>
  );
}

interface LineProps {
  line: LogLine;
  isChosen: boolean;
  start: number;
}

function Line({ line, isChosen, start }: LineProps) {
  return (
    <div
      className={classes.logLine}
      data-level={line.level}
      data-chosen={isChosen || undefined}
      style={{ transform: `translateY(${start}px)` }}
    >
      <a href={`?tab=log&line=${line.number}`} aria-label={`Link to line ${line.number}`}>
        {line.number}
      </a>
      <time>{line.at ? line.at.slice(11, 23) : ""}</time>
      <span>{line.text}</span>
    </div>
  );
}

/** Keeps the last line visible while the log is followed, and scrolls to the line of the address. */
function useScrolled(
  virtual: Virtualizer<HTMLDivElement, Element>,
  lines: ShownLines,
  chosen: number | null,
  isFollowing: boolean,
): void {
  const { count } = lines;
  useEffect(() => {
    if (isFollowing && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [isFollowing, count, virtual]);
  const place = chosen === null ? -1 : lines.placeOf(chosen);
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place, { align: "center" });
  }, [place, virtual]);
}

function Find({ words, onChange }: { words: string; onChange: (words: string) => void }) {
  return (
    <TextInput
      size="xs"
      data-search
      aria-label="Find in the log"
      placeholder="Find"
      leftSection={<Search size={14} aria-hidden />}
      value={words}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
