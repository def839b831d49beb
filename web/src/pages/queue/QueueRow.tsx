import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { ActionIcon, Menu, Skeleton, Tooltip } from "@mantine/core";
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
import { cancelRun, setPriority } from "~/api/actions";
import type { QueuedRun } from "~/api/types";
import { showProblem } from "~/components/feedback";
import { PriorityBadge, WAITING } from "~/components/status";
import { useNow } from "~/components/Time";
import { bandOf, LEVELS } from "~/logic/priority";
import { startRange } from "~/logic/time";
import classes from "./queue.module.css";

interface Place {
  index: number;
  top: number;
}

type Measure = (row: HTMLElement | null) => void;

interface RowProps {
  item: QueuedRun;
  isFirstOfBand: boolean;
  forbidden: string | null;
  place: Place;
  measure: Measure;
  count: number;
  onMove: (to: number) => void;
}

/** A run that waits: where it stands, why, and until when; with a grip and a menu to move it. */
export function QueueRow({ item, isFirstOfBand, forbidden, place, measure, count, onMove }: RowProps) {
  const now = useNow();
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, isDragging, transform, transition } = useSortable({
    id: item.run_id,
    disabled: forbidden !== null,
  });
  const waiting = WAITING[item.waiting_for];
  const number = place.index + 1;
  return (
    <li
      ref={(row) => {
        setNodeRef(row);
        measure(row);
      }}
      data-index={place.index}
      className={classes.row}
      data-dragged={isDragging || undefined}
      aria-setsize={count}
      aria-posinset={number}
      style={{ top: place.top, transform: CSS.Translate.toString(transform), transition }}
    >
      {isFirstOfBand && <div className={classes.band}>{bandOf(item.effective_priority).name}</div>}
      <div className={classes.cells}>
        <button
          type="button"
          className={classes.grip}
          title={forbidden ?? "Drag, or press Space and the arrow keys"}
          disabled={forbidden !== null}
          ref={setActivatorNodeRef}
          {...attributes}
          {...listeners}
          aria-label={`Move ${item.document_name}, now #${number}`}
        >
          <GripVertical size={16} aria-hidden />
        </button>
        <span className={`num ${classes.position}`}>#{number}</span>
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
        <span className={`num ${classes.start}`}>
          {item.waiting_for === "paused" ? "after the pause" : startRange(item.estimated_start, now)}
        </span>
        <span className={classes.secondary} data-from="lg">
          {item.submitted_by ?? ""}
        </span>
        <RowMenu item={item} forbidden={forbidden} place={place} count={count} onMove={onMove} />
      </div>
    </li>
  );
}

/** A row that is on its way, or that somebody else may see. */
export function OtherRow({ place, measure, isLoaded }: { place: Place; measure: Measure; isLoaded: boolean }) {
  return (
    <li ref={measure} data-index={place.index} className={classes.row} style={{ top: place.top }}>
      <div className={classes.cells}>
        <span />
        <span className={`num ${classes.position}`}>#{place.index + 1}</span>
        {isLoaded ? (
          <span className={classes.secondary}>A run of another workspace</span>
        ) : (
          <Skeleton height={12} width="60%" aria-label="Loading" />
        )}
        <span className={classes.grip} />
      </div>
    </li>
  );
}

function RowMenu({ item, forbidden, place: { index }, count, onMove }: Omit<RowProps, "isFirstOfBand" | "measure">) {
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
          aria-label={`Actions for ${item.document_name}, #${index + 1}`}
          disabled={forbidden !== null}
          title={forbidden ?? undefined}
        >
          <EllipsisVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<ArrowUpToLine size={15} />} disabled={index === 0} onClick={() => onMove(0)}>
          Move to the top
        </Menu.Item>
        <Menu.Item leftSection={<ChevronUp size={15} />} disabled={index === 0} onClick={() => onMove(index - 1)}>
          Move up
        </Menu.Item>
        <Menu.Item
          leftSection={<ChevronDown size={15} />}
          disabled={index === count - 1}
          onClick={() => onMove(index + 1)}
        >
          Move down
        </Menu.Item>
        <Menu.Item
          leftSection={<ArrowDownToLine size={15} />}
          disabled={index === count - 1}
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
