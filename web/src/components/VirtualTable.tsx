import {
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from "react";
import classes from "./VirtualTable.module.css";

export interface Column<Row> {
  id: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  width?: string;
  align?: "right";
  /** Left out on screens narrower than this. */
  from?: "sm" | "md" | "lg" | "xl";
}

interface Props<Row> {
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  onOpen?: (row: Row) => void;
  onEnd?: () => void;
  rowHeight?: number;
  /** The current row: it is marked, and kept visible. */
  chosenIndex?: number | null;
  isHeadSticky?: boolean;
}

// What covers the list at its ends while a row is looked at.
const HEAD = 48;
const PANEL = 300;
const ROW = 45;
// How many rows beyond the screen exist, and in steps of how many they come and go.
const BEYOND = 12;
const STEP = 4;

/** A real table whose rows exist only while they are on screen, in the page's own scroll. */
export function VirtualTable<Row>(props: Props<Row>) {
  const { label, rows, columns, keyOf, onOpen, rowHeight = ROW, chosenIndex = null, isHeadSticky } = props;
  const { frame, shown, before, after } = useRowsInSight(props);
  return (
    <div ref={frame} className={`card ${classes.frame}`} data-sticky={isHeadSticky || undefined}>
      <table className={classes.table} aria-label={label} aria-rowcount={rows.length}>
        <Head columns={columns} />
        <tbody>
          <Spacer height={before} span={columns.length} />
          {shown.map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <Row
                key={keyOf(row)}
                row={row}
                index={index}
                height={rowHeight}
                columns={columns}
                isChosen={index === chosenIndex}
                {...(onOpen && { onOpen })}
              />
            );
          })}
          <Spacer height={after} span={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** Which rows are on the screen, and how high those before and after them are together. */
function useRowsInSight<Row>({ rows, rowHeight = ROW, chosenIndex = null, onEnd }: Props<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const top = frame.current?.getBoundingClientRect().top ?? 0;
    setOffset(top + window.scrollY);
  }, [rows.length]);
  // As a text, so that nothing is drawn again while the same rows are on the screen.
  const sight = useSyncExternalStore(watchWindow, () => rowsOnScreen(offset, rowHeight, rows.length).join(" "));
  const [first = 0, end = 0] = sight.split(" ").map(Number);
  useEffect(() => {
    if (chosenIndex !== null) scrollTo(offset + chosenIndex * rowHeight, rowHeight);
  }, [offset, rowHeight, chosenIndex]);
  const isAtEnd = end > first && end > rows.length - 20;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd, rows.length]);
  const shown = Array.from({ length: end - first }, (_, place) => first + place);
  return { frame, shown, before: first * rowHeight, after: (rows.length - end) * rowHeight };
}

function watchWindow(onChange: () => void): () => void {
  window.addEventListener("scroll", onChange, { passive: true });
  window.addEventListener("resize", onChange);
  return () => {
    window.removeEventListener("scroll", onChange);
    window.removeEventListener("resize", onChange);
  };
}

/** The first row that exists, and the one after the last: all rows of a list are equally high. */
function rowsOnScreen(offset: number, height: number, count: number): [number, number] {
  const top = window.scrollY - offset;
  const first = Math.floor((top / height - BEYOND) / STEP) * STEP;
  const end = Math.ceil(((top + window.innerHeight) / height + BEYOND) / STEP) * STEP;
  return [Math.min(Math.max(first, 0), count), Math.min(Math.max(end, 0), count)];
}

/** Scroll no further than needed for a row to be seen. */
function scrollTo(top: number, height: number): void {
  const shownTo = window.scrollY + window.innerHeight - PANEL;
  if (top < window.scrollY + HEAD) window.scrollTo({ top: top - HEAD });
  else if (top + height > shownTo) window.scrollTo({ top: top + height - window.innerHeight + PANEL });
}

interface RowProps<Row> {
  row: Row;
  index: number;
  height: number;
  columns: Column<Row>[];
  isChosen: boolean;
  onOpen?: (row: Row) => void;
}

/** While the page scrolls only the rows that come into sight are drawn; those that stay are left alone. */
const Row = memo(function Row<Item>({ row, index, height, columns, isChosen, onOpen }: RowProps<Item>) {
  return (
    <tr
      aria-rowindex={index + 1}
      aria-current={isChosen || undefined}
      style={{ height }}
      {...(onOpen && opening(() => onOpen(row)))}
    >
      {columns.map((column) => (
        <td key={column.id} data-from={column.from} data-align={column.align}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <Item>(props: RowProps<Item>) => ReactNode;

function Spacer({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden style={{ height }}>
      <td colSpan={span} className={classes.spacer} />
    </tr>
  );
}

/** A row opens by click and by Enter; links and buttons in it keep their own meaning. */
function opening(open: () => void) {
  const isOwn = (event: MouseEvent | KeyboardEvent): boolean =>
    event.target instanceof Element && event.target.closest("a, button, input, label") !== null;
  return {
    tabIndex: 0,
    "data-row": true,
    onClick: (event: MouseEvent) => {
      if (!isOwn(event) && !window.getSelection()?.toString()) open();
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "Enter" && event.target === event.currentTarget) open();
    },
  };
}

function Head<Row>({ columns }: { columns: Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            data-from={column.from}
            data-align={column.align}
            style={{ width: column.width }}
          >
            {column.header}
          </th>
        ))}
      </tr>
    </thead>
  );
}
