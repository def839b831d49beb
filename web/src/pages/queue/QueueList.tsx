import {
  DndContext,
  KeyboardSensor,
  PointerSensor,
  closestCenter,
  useSensor,
  useSensors,
  type Announcements,
  type DragEndEvent,
} from "@dnd-kit/core";
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { useMediaQuery } from "@mantine/hooks";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { defaultRangeExtractor, useWindowVirtualizer, type Range } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { moveRun, setPriority } from "~/api/actions";
import { api } from "~/api/client";
import { queueQuery } from "~/api/queries";
import type { Queue, QueuedRun, Run } from "~/api/types";
import { showProblem } from "~/components/feedback";
import { moveOf, reordered } from "~/logic/reorder";
import { useForbidden } from "~/shell/workspace";
import { ConfirmBand } from "./ConfirmBand";
import { Moves, type Wish } from "./moves";
import classes from "./queue.module.css";
import { OtherRow, QueueRow, RowTitles } from "./QueueRow";
import { startOfBlock, useQueue } from "./useQueue";

// As the style sheet has them: that of a row, of one on a narrow screen, and of the name above a band.
const ROW = 43;
const NARROW_ROW = 58;
const BAND = 30;
const NONE: string[] = [];

interface Asked {
  move: Wish;
  run: QueuedRun;
}

/** The runs that wait, in the order they will start. Rows move by mouse, by keyboard and by menu. */
export function QueueList({ queue }: { queue: Queue }) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const frame = useRef<HTMLOListElement>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  // What was moved and is not yet in what the server told: rows stay where they were put meanwhile.
  const [underWay, setUnderWay] = useState<Wish[]>([]);
  const [moves] = useState(() => movesOf(client));
  const [dragged, setDragged] = useState<number | null>(null);
  const [isArmed, setArmed] = useState(false);
  const [seen, setSeen] = useState({ from: 0, to: 0 });
  const count = Math.max(queue.capacity.queued_count, queue.items.length);
  const waiting = useQueue(queue, seen.from, seen.to);
  const rows = useMemo(() => reordered(waiting.rows, underWay), [waiting.rows, underWay]);
  const itemAt = (index: number): QueuedRun | undefined => rows.get(index);
  const margin = useTopOf(frame);
  const row = useMediaQuery("(max-width: 760px)", false, { getInitialValueInEffect: false }) ? NARROW_ROW : ROW;
  const bandStarts = new Set(waiting.bandStarts);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: (index) => row + (bandStarts.has(index) ? BAND : 0),
    overscan: 8,
    scrollMargin: margin,
    // The row somebody holds stays, however far the page scrolls.
    rangeExtractor: (range: Range) => withRow(defaultRangeExtractor(range), dragged),
    onChange: ({ range, isScrolling }) => {
      if (isScrolling && isArmed && dragged === null) setArmed(false);
      const [from, to] = range ? [startOfBlock(range.startIndex), startOfBlock(range.endIndex)] : [0, 0];
      if (from !== seen.from || to !== seen.to) setSeen({ from, to });
    },
  });
  const bands = waiting.bandStarts.join(" ");
  useLayoutEffect(() => virtual.measure(), [virtual, row, bands]);
  const carryOut = async (wish: Wish): Promise<void> => {
    setUnderWay((before) => [...before, wish]);
    await moves.carryOut(wish).catch(showProblem);
    await client.invalidateQueries({ queryKey: ["queue"] });
    setUnderWay((before) => before.filter((one) => one !== wish));
  };
  const move = async (from: number, to: number): Promise<void> => {
    const run = itemAt(from);
    const wanted = moveOf(run, itemAt(to) ?? (await waiting.load(to)), to < from);
    if (!wanted || !run) return;
    const wish = { ...wanted, version: waiting.version, distance: from - to };
    if (wish.needsPriority !== null) setAsked({ move: wish, run });
    else await carryOut(wish);
  };
  const latestMove = useRef(move);
  useEffect(() => {
    latestMove.current = move;
  });
  // One function for the whole life of the list, so that rows that stay are not drawn again.
  const onMove = useCallback((from: number, to: number) => void latestMove.current(from, to).catch(showProblem), []);
  const arm = useCallback(() => setArmed(true), []);
  const shown = virtual.getVirtualItems();
  const placeOf = (id: unknown): number => shown.find(({ index }) => itemAt(index)?.run_id === id)?.index ?? -1;
  const drop = ({ active, over }: DragEndEvent): void => {
    setDragged(null);
    const [from, to] = [placeOf(active.id), over ? placeOf(over.id) : -1];
    if (from >= 0 && to >= 0) void move(from, to);
  };
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 5 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  return (
    <>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragStart={({ active }) => setDragged(placeOf(active.id))}
        onDragCancel={() => setDragged(null)}
        onDragEnd={drop}
        accessibility={{
          announcements: announcements((id) => itemAt(placeOf(id))?.document_name ?? "the run", placeOf),
        }}
      >
        <div className="card">
          <RowTitles />
          <SortableContext
            items={isArmed ? shown.flatMap(({ index }) => itemAt(index)?.run_id ?? []) : NONE}
            strategy={verticalListSortingStrategy}
          >
            <ol
              ref={frame}
              className={`${classes.list} ${classes.virtual}`}
              aria-label="Waiting runs"
              style={{ height: virtual.getTotalSize() + 2 }}
            >
              {shown.map(({ index, start }) => {
                const item = itemAt(index);
                const place = { index, top: start - margin };
                if (!item) return <OtherRow key={index} {...place} isLoaded={waiting.isLoaded(index)} />;
                return (
                  <QueueRow
                    key={item.run_id}
                    {...place}
                    item={item}
                    count={count}
                    isFirstOfBand={bandStarts.has(index)}
                    forbidden={forbidden}
                    isArmed={isArmed}
                    arm={arm}
                    onMove={onMove}
                  />
                );
              })}
            </ol>
          </SortableContext>
        </div>
      </DndContext>
      {asked && (
        <ConfirmBand
          move={asked.move}
          run={asked.run}
          onClose={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null);
            void carryOut(asked.move);
          }}
        />
      )}
    </>
  );
}

/** Moves as the server makes them, asked without a memory: what a page knew before may be the order before. */
function movesOf(client: QueryClient): Moves {
  return new Moves({
    prioritise: async (runId, priority) => {
      await setPriority(runId, priority, "moved in the queue");
    },
    move: moveRun,
    version: async () => {
      await client.cancelQueries({ queryKey: queueQuery.queryKey });
      return (await client.fetchQuery({ ...queueQuery, staleTime: 0 })).version;
    },
    positionOf: async (runId) => (await api.get<Run>(`/runs/${runId}`)).position,
  });
}

function withRow(rows: number[], kept: number | null): number[] {
  return kept === null || kept < 0 || rows.includes(kept) ? rows : [...rows, kept].sort((one, two) => one - two);
}

/** How far from the top of the page an element begins; what stands above it comes and goes. */
function useTopOf(frame: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const look = (): void => setTop(Math.round((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    const observer = new ResizeObserver(look);
    observer.observe(window.document.body);
    return () => observer.disconnect();
  }, [frame]);
  return top;
}

function announcements(nameOf: (id: unknown) => string, placeOf: (id: unknown) => number): Announcements {
  const number = (id: unknown): string => `#${placeOf(id) + 1}`;
  return {
    onDragStart: ({ active }) => `Picked up ${nameOf(active.id)} at ${number(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${nameOf(active.id)} would be ${number(over.id)}.` : ""),
    onDragEnd: ({ active, over }) =>
      over ? `${nameOf(active.id)} was put at ${number(over.id)}.` : `${nameOf(active.id)} stays.`,
    onDragCancel: ({ active }) => `${nameOf(active.id)} stays at ${number(active.id)}.`,
  };
}
