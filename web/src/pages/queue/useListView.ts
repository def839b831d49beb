import { useMediaQuery } from "@mantine/hooks";
import { defaultRangeExtractor, useWindowVirtualizer, type Range } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useState, type RefObject } from "react";
import type { QueuedRun } from "~/api/types";
import { startOfBlock } from "./useQueue";
import type { DragState } from "./useDragging";

// As the style sheet has them: that of a row, of one on a narrow screen, and of the name above a band.
const ROW = 43;
const NARROW_ROW = 58;
const BAND = 30;
const NO_PLACES: number[] = [];

export interface ListView {
  /** The rows on the screen: their places in the queue, and their distance from the top. */
  shown: { index: number; top: number }[];
  height: number;
  bandStarts: ReadonlySet<number>;
}

interface Seen {
  from: number;
  to: number;
}

interface Props {
  frame: RefObject<HTMLElement | null>;
  count: number;
  found: Map<number, QueuedRun> | null;
  bandStarts: number[];
  dragging: DragState;
  seen: Seen;
  setSeen: (seen: Seen) => void;
}

/** Which rows are on the screen, and where; all that wait, or those that match. */
export function useListView({ frame, count, found, bandStarts: starts, dragging, seen, setSeen }: Props): ListView {
  const places = useMemo(() => (found ? [...found.keys()] : null), [found]);
  const margin = useTopOf(frame);
  const row = useMediaQuery("(max-width: 760px)", false, { getInitialValueInEffect: false }) ? NARROW_ROW : ROW;
  const bandStarts = new Set(places ? NO_PLACES : starts);
  const virtual = useWindowVirtualizer({
    count: places?.length ?? count,
    estimateSize: (index) => row + (bandStarts.has(index) ? BAND : 0),
    overscan: 8,
    scrollMargin: margin,
    // The dragged row stays, however far the page scrolls.
    rangeExtractor: (range: Range) => withRow(defaultRangeExtractor(range), dragging.dragged),
    onChange: ({ range, isScrolling }) => {
      if (isScrolling) dragging.disarm();
      const [from, to] = range ? [startOfBlock(range.startIndex), startOfBlock(range.endIndex)] : [0, 0];
      if (from !== seen.from || to !== seen.to) setSeen({ from, to });
    },
  });
  const bands = [...bandStarts].join(" ");
  useLayoutEffect(() => virtual.measure(), [virtual, row, bands]);
  const items = virtual.getVirtualItems();
  const shown = items.map(({ index, start }) => ({ index: places?.[index] ?? index, top: start - margin }));
  return { shown, height: virtual.getTotalSize(), bandStarts };
}

function withRow(rows: number[], kept: number | null): number[] {
  return kept === null || kept < 0 || rows.includes(kept) ? rows : [...rows, kept].sort((one, two) => one - two);
}

/** The distance of an element from the top of the page; the elements above it come and go. */
function useTopOf(frame: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const look = (): void => setTop(Math.round((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    const observer = new ResizeObserver(look);
    observer.observe(window.document.body);
    return () => observer.disconnect();
  }, [frame]);
  return top;
}
