import { useEffect, useMemo, useReducer } from "react";
import type { RunEvent } from "~/api/types";
import { eventLine, isOutdated, outputLine, type Level, type LogLine } from "~/logic/log";
import { LogSearch } from "~/logic/logText";
import type { LogState } from "./useLogText";

const RANK: Record<Level, number> = { info: 0, warning: 1, error: 2 };
const SLICE_MS = 8;

export interface ShownLines {
  count: number;
  at: (index: number) => LogLine | null;
  /** The place of a line, or -1. */
  placeOf: (number: number) => number;
  isSearching: boolean;
}

/** The lines of a log that are wanted: all, or those of a level that hold some words. */
export function useShownLines(
  events: RunEvent[],
  state: LogState,
  isOver: boolean,
  level: Level,
  words: string,
): ShownLines {
  const eventLines = useMemo(() => events.map((event, index) => eventLine(event, index + 1)), [events]);
  const sought = words.toLowerCase();
  const isAll = level === "info" && sought === "";
  const { log, version } = state;
  const isWanted = useMemo(() => (isAll ? null : wanting(level, sought)), [isAll, level, sought]);
  const search = useMemo(
    () => (isWanted ? new LogSearch(log, (text) => isWanted(outputLine(text, 0))) : null),
    [log, isWanted],
  );
  const [, showMore] = useReducer((count: number) => count + 1, 0);
  const isSearching = useSearching(search, version, isOver, showMore);
  const shownEvents = useMemo(() => {
    const fresh = eventLines.filter((_, index) => !isOutdated(events[index] as RunEvent, events[index + 1]));
    return isWanted ? fresh.filter(isWanted) : fresh;
  }, [eventLines, events, isWanted]);
  const lineOf = (index: number): LogLine => outputLine(log.line(index), eventLines.length + index + 1);
  return {
    count: shownEvents.length + (search ? search.found.length : log.lineCount),
    at: (index) => {
      if (index < shownEvents.length) return shownEvents[index] ?? null;
      const place = index - shownEvents.length;
      const found = search ? search.found[place] : place;
      return found === undefined ? null : lineOf(found);
    },
    placeOf: (number) => {
      if (number <= eventLines.length) return shownEvents.findIndex((line) => line.number === number);
      const index = number - eventLines.length - 1;
      const place = search ? search.found.indexOf(index) : index < log.lineCount ? index : -1;
      return place < 0 ? -1 : shownEvents.length + place;
    },
    isSearching,
  };
}

/** Whether a line is of a level, or a graver one, and holds some words. */
function wanting(level: Level, sought: string): (line: LogLine) => boolean {
  return (line) => RANK[line.level] >= RANK[level] && line.text.toLowerCase().includes(sought);
}

/** Look through the log between the other work of the page. */
function useSearching(search: LogSearch | null, version: number, isOver: boolean, showMore: () => void): boolean {
  const [isSearching, setSearching] = useReducer((_: boolean, next: boolean) => next, false);
  useEffect(() => {
    if (!search) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shownAt = 0;
    const look = (): void => {
      const isDone = search.lookOn(isOver, SLICE_MS);
      if (isDone || performance.now() - shownAt > 200) {
        shownAt = performance.now();
        showMore();
      }
      setSearching(!isDone);
      if (!isDone) timer = setTimeout(look, 0);
    };
    look();
    return () => clearTimeout(timer);
  }, [search, version, isOver, showMore]);
  return search !== null && isSearching;
}
