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
import { Group, Text, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { defaultRangeExtractor, useWindowVirtualizer, type Range } from "@tanstack/react-virtual";
import { Search } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { moveRun, setPriority } from "~/api/actions";
import { api } from "~/api/client";
import { queueQuery } from "~/api/queries";
import type { Queue, QueuedRun, Run } from "~/api/types";
import { Bulk } from "~/components/Bulk";
import { showProblem } from "~/components/feedback";
import { Tick } from "~/components/Tick";
import { counted } from "~/logic/numbers";
import { moveOf, reordered } from "~/logic/reorder";
import { ticked } from "~/logic/selection";
import { useForbidden } from "~/shell/workspace";
import { ConfirmBand } from "./ConfirmBand";
import { Moves, type Wish } from "./moves";
import classes from "./queue.module.css";
import { OtherRow, QueueRow, RowTitles } from "./QueueRow";
import { startOfBlock, useQueue, wholeQueueQuery } from "./useQueue";

// As the style sheet has them: that of a row, of one on a narrow screen, and of the name above a band.
const ROW = 43;
const NARROW_ROW = 58;
const BAND = 30;
const NONE: string[] = [];
const NO_PLACES: number[] = [];

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
  const [words, setWords] = useState("");
  const whole = useQuery({
    ...wholeQueueQuery(count),
    enabled: words.trim() !== "",
    placeholderData: keepPreviousData,
  });
  const found = useMemo(() => (words.trim() ? matching(whole.data ?? [], words) : null), [whole.data, words]);
  const rows = useMemo(() => reordered(waiting.rows, underWay), [waiting.rows, underWay]);
  const itemAt = (index: number): QueuedRun | undefined => found?.get(index) ?? rows.get(index);
  // The places that are shown: all, or those that match.
  const places = useMemo(() => (found ? [...found.keys()] : null), [found]);
  const selection = useSelection(() => waiting.loadAll(count));
  const margin = useTopOf(frame);
  const row = useMediaQuery("(max-width: 760px)", false, { getInitialValueInEffect: false }) ? NARROW_ROW : ROW;
  const bandStarts = new Set(places ? NO_PLACES : waiting.bandStarts);
  const virtual = useWindowVirtualizer({
    count: places?.length ?? count,
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
  const bands = [...bandStarts].join(" ");
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
  const shown = virtual.getVirtualItems().map(({ index, start }) => ({ index: places?.[index] ?? index, start }));
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
        <Filter words={words} onChange={setWords} found={found ? found.size : null} isLoading={whole.isFetching} />
        {selection.chosen.size > 0 && <Bulk runIds={[...selection.chosen]} hasPriority onDone={selection.clear} />}
        <div className="card">
          <RowTitles>
            <Tick
              label={found ? "Choose all that match" : "Choose all waiting runs"}
              isTicked={selection.chosen.size > 0 && selection.chosen.size >= (found?.size ?? count)}
              isPartly={selection.chosen.size > 0 && selection.chosen.size < (found?.size ?? count)}
              onChange={() => selection.toggleAll(found ? [...found.values()] : null)}
            />
          </RowTitles>
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
                    isTicked={selection.chosen.has(item.run_id)}
                    onTick={selection.tick}
                    stuck={found ? "Show all runs to drag one" : null}
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

interface Selection {
  chosen: ReadonlySet<string>;
  tick: (id: string, isShift: boolean) => void;
  /** Tick these, or all that wait; when some are ticked, none. */
  toggleAll: (some: QueuedRun[] | null) => void;
  clear: () => void;
}

/** The rows that are ticked; those that wait no longer are left out when something is done with them. */
function useSelection(loadAll: () => Promise<QueuedRun[]>): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const load = useRef(loadAll);
  useEffect(() => {
    load.current = loadAll;
  });
  const tick = useCallback((id: string, isShift: boolean) => {
    const from = isShift ? last.current : null;
    last.current = id;
    if (from === null) setChosen((before) => ticked(before, [], null, id));
    else
      void load.current().then((all) => {
        const ids = all.map((one) => one.run_id);
        setChosen((before) => ticked(before, ids, from, id));
      }, showProblem);
  }, []);
  const toggleAll = (some: QueuedRun[] | null): void => {
    if (chosen.size > 0) setChosen(new Set());
    else if (some) setChosen(new Set(some.map((one) => one.run_id)));
    else void loadAll().then((all) => setChosen(new Set(all.map((one) => one.run_id))), showProblem);
  };
  return { chosen, tick, toggleAll, clear: () => setChosen(new Set()) };
}

interface FilterProps {
  words: string;
  onChange: (words: string) => void;
  found: number | null;
  isLoading: boolean;
}

function Filter({ words, onChange, found, isLoading }: FilterProps) {
  return (
    <Group mb="sm" gap="sm">
      <TextInput
        data-search
        size="xs"
        aria-label="Find waiting runs"
        placeholder="Document, configuration or person"
        leftSection={<Search size={14} aria-hidden />}
        value={words}
        onChange={(event) => onChange(event.currentTarget.value)}
        w={280}
      />
      {found !== null && (
        <Text size="sm" c="dimmed" role="status">
          {isLoading ? "Looking…" : found === 0 ? "No waiting run matches" : `${counted(found, "run")} found`}
        </Text>
      )}
    </Group>
  );
}

/** Return the runs that have all these words in their names, by their place. */
function matching(items: QueuedRun[], words: string): Map<number, QueuedRun> {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = (one: QueuedRun): string =>
    `${one.document_name} ${one.configuration_name} ${one.submitted_by ?? ""}`.toLowerCase();
  const found = items.filter((one) => wanted.every((word) => textOf(one).includes(word)));
  return new Map(found.map((one) => [one.position - 1, one]));
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
    placeOf: async (runId) => (await api.get<Run>(`/runs/${runId}`)).position,
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
