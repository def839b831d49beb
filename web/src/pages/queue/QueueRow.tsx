import type { useSortable } from "@dnd-kit/sortable";
import { Skeleton } from "@mantine/core";
import { GripVertical } from "lucide-react";
import { memo, useRef, type KeyboardEvent, type PointerEvent, type ReactNode, type RefObject } from "react";
import { flushSync } from "react-dom";
import type { QueuedRun } from "~/api/types";
import { RowLink } from "~/components/RowLink";
import { PriorityBadge, WAITING } from "~/components/status";
import { Tick } from "~/components/Tick";
import { useNow } from "~/components/Time";
import { bandOf } from "~/logic/priority";
import { startRange } from "~/logic/time";
import classes from "./queue.module.css";
import { RowMenu } from "./RowMenu";
import { Sortable } from "./Sortable";

export type Listeners = ReturnType<typeof useSortable>["listeners"];

export interface RowProps {
  item: QueuedRun;
  index: number;
  top: number;
  count: number;
  isFirstOfBand: boolean;
  forbidden: string | null;
  /** Whether rows can be dragged this moment. That is made ready by the first touch: it is too much for a scroll. */
  isArmed: boolean;
  arm: () => void;
  onMove: (from: number, to: number) => void;
  isTicked: boolean;
  onTick: (id: string, isShift: boolean) => void;
  /** Why it cannot be dragged now; null when it can. */
  stuck: string | null;
}

/** A waiting run: its place, the reason, and the expected start; with a grip and a menu to move it. */
export const QueueRow = memo(function QueueRow(props: RowProps) {
  const { item, index, top, count, isFirstOfBand, forbidden, isArmed, arm, onMove, isTicked, onTick } = props;
  const row = useRef<HTMLLIElement>(null);
  const grip = useRef<HTMLButtonElement>(null);
  const listeners = useRef<Listeners>(undefined);
  const hold = (event: PointerEvent | KeyboardEvent): void => {
    if (!isArmed) flushSync(arm);
    listeners.current?.[event.type === "keydown" ? "onKeyDown" : "onPointerDown"]?.(event);
  };
  const number = index + 1;
  return (
    <li
      ref={row}
      data-index={index}
      className={classes.row}
      aria-setsize={count}
      aria-posinset={number}
      style={{ top }}
    >
      {isFirstOfBand && <div className={classes.band}>{bandOf(item.effective_priority).name}</div>}
      <div className={classes.cells}>
        <Grip {...props} gripRef={grip} onHold={hold} />
        <Tick
          label={`Choose ${item.document_name}, #${number}`}
          isTicked={isTicked}
          onChange={(isShift) => onTick(item.run_id, isShift)}
        />
        <span className={`num ${classes.position}`}>#{number}</span>
        <RowFacts item={item} />
        <RowMenu item={item} index={index} count={count} forbidden={forbidden} onMove={onMove} />
      </div>
      {isArmed && <Sortable id={item.run_id} rowRef={row} gripRef={grip} listenersRef={listeners} />}
    </li>
  );
});

/** The header of the rows; each row has the same in words, except the box that ticks them all. */
export function RowTitles({ children }: { children: ReactNode }) {
  return (
    <div className={`${classes.cells} ${classes.titles}`}>
      <span />
      {children}
      <span />
      <span aria-hidden>Document</span>
      <span aria-hidden className={classes.secondary}>
        Configuration
      </span>
      <span aria-hidden>Priority</span>
      <span aria-hidden className={classes.reason}>
        Why it waits
      </span>
      <span aria-hidden className={classes.start}>
        Starts
      </span>
      <span aria-hidden className={classes.secondary}>
        By
      </span>
      <span />
    </div>
  );
}

/** On its own, so that the clock redraws nothing else. */
function Start({ item }: { item: QueuedRun }) {
  return startRange(item.estimated_start, useNow());
}

/** A row that is being loaded, or that only others may see. */
export const OtherRow = memo(function OtherRow({
  index,
  top,
  isLoaded,
}: Pick<RowProps, "index" | "top"> & { isLoaded: boolean }) {
  return (
    <li data-index={index} className={classes.row} style={{ top }}>
      <div className={classes.cells}>
        <span />
        <span />
        <span className={`num ${classes.position}`}>#{index + 1}</span>
        {isLoaded ? (
          <span className={classes.other}>A run of another workspace</span>
        ) : (
          <Skeleton height={12} width="60%" role="progressbar" aria-label="Loading" />
        )}
        <span className={classes.grip} />
      </div>
    </li>
  );
});

interface GripProps extends RowProps {
  gripRef: RefObject<HTMLButtonElement | null>;
  onHold: (event: PointerEvent | KeyboardEvent) => void;
}

/** Holds the row, by mouse and by keyboard. */
function Grip({ item, index, forbidden, isArmed, stuck, gripRef, onHold }: GripProps) {
  return (
    <button
      type="button"
      ref={gripRef}
      className={classes.grip}
      title={forbidden ?? stuck ?? "Drag, or press Space and the arrow keys"}
      disabled={forbidden !== null || stuck !== null}
      aria-label={`Move ${item.document_name}, now #${index + 1}`}
      aria-roledescription="sortable"
      onPointerDown={onHold}
      onKeyDown={(event) => {
        if (isArmed || event.key === " " || event.key === "Enter") onHold(event);
      }}
    >
      <GripVertical size={16} aria-hidden />
    </button>
  );
}

/** What runs with what, why it waits, and when it may start. */
function RowFacts({ item }: { item: QueuedRun }) {
  const waiting = WAITING[item.waiting_for];
  return (
    <>
      <RowLink to="/runs" id={item.run_id} className={`link ${classes.name}`} title={item.document_name} isRow>
        {item.document_name}
      </RowLink>
      <span className={classes.secondary}>
        {item.configuration_name} · v{item.version}
      </span>
      <span className={classes.priority}>
        <PriorityBadge priority={item.priority} effective={item.effective_priority} />
      </span>
      <span className={classes.reason} title={item.waiting_reason}>
        {waiting.label}
      </span>
      <span className={`num ${classes.start}`}>
        {item.waiting_for === "paused" ? "after the pause" : <Start item={item} />}
      </span>
      <span className={classes.secondary} data-from="lg">
        {item.submitted_by ?? ""}
      </span>
    </>
  );
}
