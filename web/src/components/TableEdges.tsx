import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { columnLetters, rangeName, type Cell } from "~/logic/a1";
import { counted } from "~/logic/numbers";
import {
  EDGE_NAMES,
  edgesOf,
  headerHeight,
  limitsOf,
  moved,
  placeOf,
  type Edge,
  type TableShape,
} from "~/logic/tableShape";
import { EDGE, ROW, type GridView } from "./GridCanvas";
import classes from "./TableEdges.module.css";

export interface EditedTable {
  shape: TableShape;
  onMove: (shape: TableShape) => void;
}

interface Props {
  /** What scrolls: the edges follow it. */
  frame: RefObject<HTMLDivElement | null>;
  view: GridView;
  /** Where each column begins. */
  starts: number[];
  size: { rows: number; columns: number };
  tables: EditedTable[];
}

/** The edges of tables, and the lower edges of their headers: they are moved by mouse, touch or arrow keys. */
export function TableEdges({ frame, tables, ...grid }: Props) {
  const layer = useFollowing(frame);
  return (
    <div className={classes.clip}>
      <div ref={layer} className={classes.layer}>
        {tables.map((table, place) => (
          <EditedFrame key={place} {...grid} {...table} frame={frame} />
        ))}
      </div>
    </div>
  );
}

/** An element that is moved as far as another one is scrolled. */
function useFollowing(frame: RefObject<HTMLDivElement | null>): RefObject<HTMLDivElement | null> {
  const layer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const scroller = frame.current;
    const follow = (): void => {
      if (scroller && layer.current)
        layer.current.style.transform = `translate(${-scroller.scrollLeft - EDGE}px, ${-scroller.scrollTop - ROW}px)`;
    };
    follow();
    scroller?.addEventListener("scroll", follow, { passive: true });
    return () => scroller?.removeEventListener("scroll", follow);
  }, [frame]);
  return layer;
}

type FrameProps = Omit<Props, "tables"> & EditedTable;

function EditedFrame({ frame, view, starts, size, shape: settled, onMove }: FrameProps) {
  const [moving, setMoving] = useState<TableShape | null>(null);
  const shape = moving ?? settled;
  const box = boxOf(shape, starts);
  const finish = (): void => {
    setMoving(null);
    if (moving && !isSame(moving, settled)) onMove(moving);
  };
  return (
    <>
      <div aria-hidden className={classes.outline} style={box} />
      {headerHeight(shape) > 0 && (
        <div aria-hidden className={classes.band} style={{ ...box, height: headerHeight(shape) * ROW }} />
      )}
      {edgesOf(shape).map((edge) => (
        <Handle
          key={edge}
          edge={edge}
          shape={shape}
          size={size}
          name={`${EDGE_NAMES[edge]} of the table ${rangeName(settled.range)}`}
          style={handlePlace(shape, edge, view, starts)}
          onTo={(to) => setMoving(moved(settled, edge, to, size))}
          onStep={(step) => setMoving(moved(shape, edge, placeOf(shape, edge) + step, size))}
          onEnd={finish}
          onCancel={() => setMoving(null)}
          onSeen={() => view.scrollTo(cellAt(shape, edge))}
          placeAt={(event) => frame.current && placeAt(frame.current, event, edge, starts)}
        />
      ))}
    </>
  );
}

interface HandleProps {
  edge: Edge;
  shape: TableShape;
  size: { rows: number; columns: number };
  name: string;
  style: { left: number; top: number };
  onTo: (place: number) => void;
  onStep: (step: number) => void;
  onEnd: () => void;
  onCancel: () => void;
  onSeen: () => void;
  placeAt: (event: PointerEvent) => number | null;
}

function Handle({ edge, shape, size, name, style, ...on }: HandleProps) {
  const isUpright = edge === "left" || edge === "right";
  const [least, most] = limitsOf(shape, edge, size);
  const press = (event: KeyboardEvent): void => {
    const step = (isUpright ? ACROSS : DOWN)[event.key];
    if (event.key === "Escape") on.onCancel();
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    on.onStep(step);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-orientation={isUpright ? "horizontal" : "vertical"}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={placeOf(shape, edge)}
      aria-valuetext={placeWords(shape, edge)}
      title={name}
      className={classes.handle}
      data-upright={isUpright || undefined}
      data-header={edge === "header" || undefined}
      style={style}
      onFocus={(event) => event.currentTarget.matches(":focus-visible") && on.onSeen()}
      onKeyDown={press}
      onKeyUp={on.onEnd}
      onBlur={on.onEnd}
      {...draggedBy(on)}
    />
  );
}

/** Follows the pointer that holds an element, until it lets go. */
function draggedBy({ placeAt, onTo, onEnd, onCancel }: Pick<HandleProps, "placeAt" | "onTo" | "onEnd" | "onCancel">) {
  return {
    onPointerDown: ({ currentTarget, pointerId }: PointerEvent) => currentTarget.setPointerCapture(pointerId),
    onPointerMove: (event: PointerEvent) => {
      const to = event.currentTarget.hasPointerCapture(event.pointerId) ? placeAt(event) : null;
      if (to !== null) onTo(to);
    },
    onPointerUp: onEnd,
    onPointerCancel: onCancel,
  };
}

const DOWN: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };
const ACROSS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 5, PageUp: -5 };

function placeWords(shape: TableShape, edge: Edge): string {
  const at =
    edge === "left" || edge === "right"
      ? `column ${columnLetters(placeOf(shape, edge))}`
      : `row ${placeOf(shape, edge)}`;
  const header = shape.headerRows === 0 ? "no header" : counted(shape.headerRows, "header row");
  return `${at}: ${rangeName(shape.range)} with ${header}`;
}

function boxOf({ range }: TableShape, starts: number[]) {
  const left = startOf(starts, range.firstColumn);
  return {
    left,
    top: ROW * range.firstRow,
    width: startOf(starts, range.lastColumn + 1) - left,
    height: (range.lastRow - range.firstRow + 1) * ROW,
  };
}

const startOf = (starts: number[], column: number): number => starts[column - 1] ?? starts.at(-1) ?? EDGE;

const INSIDE = 6; // that a handle at the border of the grid can be seen

/** Where a handle is: on its edge, amid what is on the screen of it. */
function handlePlace(shape: TableShape, edge: Edge, view: GridView, starts: number[]): { left: number; top: number } {
  const { left, top, width, height } = boxOf(shape, starts);
  const firstSeen = Math.max(top, view.rows[0]?.start ?? 0);
  const lastSeen = Math.min(top + height, view.rows.at(-1)?.end ?? Infinity);
  const leftSeen = Math.max(left, view.columns[0]?.start ?? 0);
  const rightSeen = Math.min(left + width, view.columns.at(-1)?.end ?? Infinity);
  const [middle, across] = [(firstSeen + lastSeen) / 2, (leftSeen + rightSeen) / 2];
  switch (edge) {
    case "top":
      return { left: across, top: Math.max(top, ROW + INSIDE) };
    case "header":
      return { left: (leftSeen + across) / 2, top: top + shape.headerRows * ROW };
    case "bottom":
      return { left: across, top: top + height };
    case "left":
      return { left: Math.max(left, EDGE + INSIDE), top: middle };
    case "right":
      return { left: left + width, top: middle };
  }
}

/** The place of an edge that is dragged to a point: the nearest line between two rows or columns. */
function placeAt(frame: HTMLDivElement, event: PointerEvent, edge: Edge, starts: number[]): number {
  const box = frame.getBoundingClientRect();
  scrollNear(frame, box, event);
  if (edge === "left" || edge === "right") {
    const x = event.clientX - box.left + frame.scrollLeft;
    const nearest = starts.reduce(
      (best, start, column) => (Math.abs(start - x) < Math.abs((starts[best] ?? 0) - x) ? column : best),
      0,
    );
    return edge === "left" ? nearest + 1 : nearest;
  }
  const line = Math.round((event.clientY - box.top + frame.scrollTop) / ROW) - 1;
  return edge === "top" ? line + 1 : line;
}

const NEAR = 24;

/** Go on to what is beyond the border of the grid while an edge is dragged there. */
function scrollNear(frame: HTMLDivElement, box: DOMRect, event: PointerEvent): void {
  const down = event.clientY > box.bottom - NEAR ? ROW : event.clientY < box.top + ROW + NEAR ? -ROW : 0;
  const right = event.clientX > box.right - NEAR ? EDGE : event.clientX < box.left + EDGE + NEAR ? -EDGE : 0;
  if (down !== 0 || right !== 0) frame.scrollBy(right, down);
}

function cellAt({ range, headerRows }: TableShape, edge: Edge): Cell {
  if (edge === "bottom") return { row: range.lastRow, column: range.firstColumn };
  if (edge === "right") return { row: range.firstRow, column: range.lastColumn };
  return { row: range.firstRow + (edge === "header" ? Math.max(headerRows - 1, 0) : 0), column: range.firstColumn };
}

function isSame(one: TableShape, other: TableShape): boolean {
  return one.headerRows === other.headerRows && rangeName(one.range) === rangeName(other.range);
}
