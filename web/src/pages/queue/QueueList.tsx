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
import { Search } from "lucide-react";
import { useState, type ReactNode, type RefObject, useRef } from "react";
import type { Queue } from "~/api/types";
import { Bulk } from "~/components/Bulk";
import { Tick } from "~/components/Tick";
import { counted } from "~/logic/numbers";
import { useForbidden } from "~/shell/workspace";
import { ConfirmBand } from "./ConfirmBand";
import classes from "./queue.module.css";
import { OtherRow, QueueRow, RowTitles } from "./QueueRow";
import { useQueue } from "./useQueue";
import { useDragging, type DragState } from "./useDragging";
import { useFinder, type Finder } from "./useFinder";
import { useListView, type ListView } from "./useListView";
import { useMoving, type Moving } from "./useMoving";
import { useSelection, type Selection } from "./useSelection";

const NONE: string[] = [];

/** The runs that wait, in the order they will start. Rows move by mouse, by keyboard and by menu. */
export function QueueList({ queue }: { queue: Queue }) {
  const count = Math.max(queue.capacity.queued_count, queue.items.length);
  const [seen, setSeen] = useState({ from: 0, to: 0 });
  const waiting = useQueue(queue, seen.from, seen.to);
  const finder = useFinder(count);
  const { found } = finder;
  const moving = useMoving(waiting, found);
  const dragging = useDragging();
  const selection = useSelection(() => waiting.loadAll(count));
  const frame = useRef<HTMLOListElement>(null);
  const view = useListView({ frame, count, found, bandStarts: waiting.bandStarts, dragging, seen, setSeen });
  const forbidden = useForbidden("operator");
  const list = { count, forbidden, waiting, finder, moving, dragging, selection, view };
  return (
    <>
      <Dragging list={list}>
        <Filter finder={finder} />
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
          <Rows list={list} frame={frame} />
        </div>
      </Dragging>
      {moving.asked && <ConfirmBand {...moving.asked} onClose={moving.dismiss} onConfirm={moving.confirm} />}
    </>
  );
}

interface List {
  count: number;
  forbidden: string | null;
  waiting: ReturnType<typeof useQueue>;
  finder: Finder;
  moving: Moving;
  dragging: DragState;
  selection: Selection;
  view: ListView;
}

/** Lets rows be dragged, and says what happens to them to those who hear the page. */
function Dragging({ list, children }: { list: List; children: ReactNode }) {
  const { moving, dragging, view } = list;
  const placeOf = (id: unknown): number =>
    view.shown.find(({ index }) => moving.itemAt(index)?.run_id === id)?.index ?? -1;
  const drop = ({ active, over }: DragEndEvent): void => {
    dragging.setDragged(null);
    const [from, to] = [placeOf(active.id), over ? placeOf(over.id) : -1];
    if (from >= 0 && to >= 0) void moving.move(from, to);
  };
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 5 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const nameOf = (id: unknown): string => moving.itemAt(placeOf(id))?.document_name ?? "the run";
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragStart={({ active }) => dragging.setDragged(placeOf(active.id))}
      onDragCancel={() => dragging.setDragged(null)}
      onDragEnd={drop}
      accessibility={{ announcements: announcements(nameOf, placeOf) }}
    >
      {children}
    </DndContext>
  );
}

function Rows({ list, frame }: { list: List; frame: RefObject<HTMLOListElement | null> }) {
  const { moving, dragging, view } = list;
  const ids = view.shown.flatMap(({ index }) => moving.itemAt(index)?.run_id ?? []);
  return (
    <SortableContext items={dragging.isArmed ? ids : NONE} strategy={verticalListSortingStrategy}>
      <ol
        ref={frame}
        className={`${classes.list} ${classes.virtual}`}
        aria-label="Waiting runs"
        style={{ height: view.height + 2 }}
      >
        {view.shown.map(({ index, top }) => (
          <RowAt key={moving.itemAt(index)?.run_id ?? index} list={list} index={index} top={top} />
        ))}
      </ol>
    </SortableContext>
  );
}

function RowAt({ list, index, top }: { list: List; index: number; top: number }) {
  const { count, forbidden, waiting, finder, moving, dragging, selection, view } = list;
  const item = moving.itemAt(index);
  if (!item) return <OtherRow index={index} top={top} isLoaded={waiting.isLoaded(index)} />;
  return (
    <QueueRow
      index={index}
      top={top}
      item={item}
      count={count}
      isFirstOfBand={view.bandStarts.has(index)}
      forbidden={forbidden}
      isArmed={dragging.isArmed}
      arm={dragging.arm}
      onMove={moving.onMove}
      isTicked={selection.chosen.has(item.run_id)}
      onTick={selection.tick}
      stuck={finder.found ? "Show all runs to drag one" : null}
    />
  );
}

function Filter({ finder }: { finder: Finder }) {
  const { words, found, isLoading } = finder;
  return (
    <Group mb="sm" gap="sm">
      <TextInput
        data-search
        size="xs"
        aria-label="Find waiting runs"
        placeholder="Document, configuration or person"
        leftSection={<Search size={14} aria-hidden />}
        value={words}
        onChange={(event) => finder.setWords(event.currentTarget.value)}
        w={280}
      />
      {found !== null && (
        <Text size="sm" c="dimmed" role="status">
          {isLoading ? "Looking…" : found.size === 0 ? "No waiting run matches" : `${counted(found.size, "run")} found`}
        </Text>
      )}
    </Group>
  );
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
