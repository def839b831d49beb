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
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { ActionIcon, Button, Group, Menu, Modal, Text, Tooltip } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  ArrowDownToLine,
  ArrowUpToLine,
  Ban,
  ChevronDown,
  ChevronUp,
  EllipsisVertical,
  GripVertical,
} from "lucide-react";
import { useState } from "react";
import { cancelRun, moveRun, setPriority } from "~/api/actions";
import { queueQuery } from "~/api/queries";
import type { Queue, QueuedRun } from "~/api/types";
import { showProblem } from "~/components/feedback";
import { PriorityBadge, WAITING } from "~/components/status";
import { useNow } from "~/components/Time";
import { bandOf, LEVELS, priorityName } from "~/logic/priority";
import { moveOf, reordered, type Move } from "~/logic/reorder";
import { startRange } from "~/logic/time";
import { useForbidden } from "~/shell/workspace";
import classes from "./queue.module.css";

/** The runs that wait, in the order they will start. Rows move by mouse, by keyboard and by menu. */
export function QueueList({ queue }: { queue: Queue }) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const [asked, setAsked] = useState<Move | null>(null);
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 5 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ["queue"] });
  const carryOut = useMutation({
    mutationFn: async (move: Move) => {
      if (move.needsPriority !== null) {
        await setPriority(move.runId, move.needsPriority, "moved in the queue");
        await refresh();
      }
      const version = client.getQueryData(queueQuery.queryKey)?.version ?? queue.version;
      await moveRun(move.runId, move.place, version);
    },
    onError: showProblem,
    onSettled: refresh,
  });
  const items = queue.items;
  const move = (from: number, to: number): void => {
    const wanted = moveOf(items, from, to);
    if (!wanted) return;
    if (wanted.needsPriority !== null) {
      setAsked(wanted);
      return;
    }
    client.setQueryData(queueQuery.queryKey, { ...queue, items: reordered(items, from, to) });
    carryOut.mutate(wanted);
  };
  const drop = ({ active, over }: DragEndEvent): void => {
    if (!over) return;
    const place = (id: string): number => items.findIndex((item) => item.run_id === id);
    move(place(String(active.id)), place(String(over.id)));
  };
  return (
    <>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={drop}
        accessibility={{ announcements: announcements(items) }}
      >
        <SortableContext items={items.map((item) => item.run_id)} strategy={verticalListSortingStrategy}>
          <ol className={`card ${classes.list}`} aria-label="Waiting runs">
            {items.map((item, index) => (
              <Row
                key={item.run_id}
                item={item}
                isFirstOfBand={
                  bandOf(item.effective_priority) !== bandOf(items[index - 1]?.effective_priority ?? -1) || index === 0
                }
                forbidden={forbidden}
                onMove={(to) => move(index, to)}
                place={index}
                count={items.length}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      {asked && (
        <ConfirmBand
          move={asked}
          items={items}
          onClose={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null);
            carryOut.mutate(asked);
          }}
        />
      )}
    </>
  );
}

interface RowProps {
  item: QueuedRun;
  isFirstOfBand: boolean;
  forbidden: string | null;
  place: number;
  count: number;
  onMove: (to: number) => void;
}

function Row({ item, isFirstOfBand, forbidden, place, count, onMove }: RowProps) {
  const now = useNow();
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, isDragging, transform, transition } = useSortable({
    id: item.run_id,
    disabled: forbidden !== null,
  });
  const waiting = WAITING[item.waiting_for];
  return (
    <li
      ref={setNodeRef}
      className={classes.row}
      data-dragged={isDragging || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      {isFirstOfBand && <div className={classes.band}>{bandOf(item.effective_priority).name}</div>}
      <div className={classes.cells}>
        <button
          type="button"
          className={classes.grip}
          aria-label={`Move ${item.document_name}, now #${item.position}`}
          title={forbidden ?? "Drag, or press Space and the arrow keys"}
          disabled={forbidden !== null}
          ref={setActivatorNodeRef}
          {...attributes}
          {...listeners}
        >
          <GripVertical size={16} aria-hidden />
        </button>
        <span className={`num ${classes.position}`}>#{item.position}</span>
        <Link to="/runs/$runId" params={{ runId: item.run_id }} className={`link ${classes.name}`} data-row>
          {item.document_name}
        </Link>
        <span className={classes.secondary}>
          {item.configuration_name} · v{item.version}
        </span>
        <PriorityBadge priority={item.priority} effective={item.effective_priority} />
        <Tooltip label={waiting.why}>
          <span className={classes.reason}>{waiting.label}</span>
        </Tooltip>
        <span className={`num ${classes.start}`}>{startRange(item.estimated_start, now)}</span>
        <span className={classes.secondary} data-from="lg">
          {item.submitted_by ?? ""}
        </span>
        <RowMenu item={item} forbidden={forbidden} place={place} count={count} onMove={onMove} />
      </div>
    </li>
  );
}

function RowMenu({ item, forbidden, place, count, onMove }: Omit<RowProps, "isFirstOfBand">) {
  const client = useQueryClient();
  const settled = { onError: showProblem, onSettled: () => client.invalidateQueries({ queryKey: ["queue"] }) };
  const cancel = useMutation({ mutationFn: () => cancelRun(item.run_id), ...settled });
  const change = useMutation({ mutationFn: (priority: number) => setPriority(item.run_id, priority), ...settled });
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Actions for ${item.document_name}, #${item.position}`}
          disabled={forbidden !== null}
          title={forbidden ?? undefined}
        >
          <EllipsisVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<ArrowUpToLine size={15} />} disabled={place === 0} onClick={() => onMove(0)}>
          Move to the top
        </Menu.Item>
        <Menu.Item leftSection={<ChevronUp size={15} />} disabled={place === 0} onClick={() => onMove(place - 1)}>
          Move up
        </Menu.Item>
        <Menu.Item
          leftSection={<ChevronDown size={15} />}
          disabled={place === count - 1}
          onClick={() => onMove(place + 1)}
        >
          Move down
        </Menu.Item>
        <Menu.Item
          leftSection={<ArrowDownToLine size={15} />}
          disabled={place === count - 1}
          onClick={() => onMove(count - 1)}
        >
          Move to the end
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Priority</Menu.Label>
        {LEVELS.filter((level) => level.priority !== item.priority).map((level) => (
          <Menu.Item key={level.name} onClick={() => change.mutate(level.priority)}>
            {level.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Ban size={15} />} onClick={() => cancel.mutate()}>
          Cancel
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ConfirmBand({
  move,
  items,
  onClose,
  onConfirm,
}: {
  move: Move;
  items: QueuedRun[];
  onClose: () => void;
  onConfirm: () => void;
}) {
  const item = items.find((one) => one.run_id === move.runId);
  return (
    <Modal opened onClose={onClose} title="Change the priority?">
      <Text size="sm" mb="md">
        To stand there, {item?.document_name} needs priority <strong>{priorityName(move.needsPriority ?? 0)}</strong>{" "}
        instead of {priorityName(item?.priority ?? 0)}.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Leave it
        </Button>
        <Button onClick={onConfirm} data-autofocus>
          Change and move
        </Button>
      </Group>
    </Modal>
  );
}

function announcements(items: QueuedRun[]): Announcements {
  const name = (id: unknown): string => items.find((item) => item.run_id === id)?.document_name ?? "the run";
  const place = (id: unknown): number => items.find((item) => item.run_id === id)?.position ?? 0;
  return {
    onDragStart: ({ active }) => `Picked up ${name(active.id)} at #${place(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${name(active.id)} would be #${place(over.id)}.` : ""),
    onDragEnd: ({ active, over }) =>
      over ? `${name(active.id)} was put at #${place(over.id)}.` : `${name(active.id)} stays.`,
    onDragCancel: ({ active }) => `${name(active.id)} stays at #${place(active.id)}.`,
  };
}
