import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type AriaAttributes,
  type Dispatch,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  type SetStateAction,
} from "react";
import type { ArtifactTable, Issue } from "~/api/artifact";
import type { CellRow } from "~/api/types";
import { cellName, columnNumber, parseRange, type Cell, type Range } from "~/logic/a1";
import { frozenRow } from "~/logic/frozen";
import { startsOf, widthsOf } from "~/logic/widths";
import classes from "./CellGrid.module.css";
import { useBlocks, type Blocks } from "./cellBlocks";
import type { Arrangement } from "./ColumnMenu";
import { useCellChoice, type CellChoice } from "./cellChoice";
import { useCellEditing, type CellEditing, type CellEdits } from "./cellEdits";
import { Canvas, EDGE, ROW, type GridView } from "./GridCanvas";
import { TableEdges, type EditedTable } from "./TableEdges";

const WIDE = 26;
const MARGIN = 20;

interface Props {
  source: string;
  sheet: number;
  tables: ArtifactTable[];
  issues: Map<string, Issue[]>;
  chosen: Cell | null;
  onChoose: (cell: Cell) => void;
  /** Whether the first column stays visible: it identifies the row. */
  isKeyFrozen?: boolean;
  /** The tables whose edges can be moved; they are drawn in place of the outlines of the others. */
  edited?: EditedTable[] | undefined;
  /** How rows are sorted and filtered, and what changes it; it must be able to say so of the whole sheet. */
  arrangement?: Arrangement | undefined;
  /** Handles text that is typed into cells; without it, cells cannot be edited. */
  edits?: CellEdits | undefined;
  /** Opens the chosen cell, for a button outside: nothing is double-clicked with a finger. */
  edit?: Ref<() => void>;
  /** Called with the range that is chosen, be it one cell. */
  onRange?: (range: Range | null) => void;
  /** Called with the first and the last row on the screen. */
  onRows?: (first: number, last: number) => void;
}

/** A sheet as people know it, A1 at the corner, with what a run saw in it drawn on top. Only what is seen is loaded. */
export function CellGrid(props: Props) {
  const { source, sheet, tables, chosen, edited, arrangement } = props;
  const frame = useRef<HTMLDivElement>(null);
  const extent = useMemo(() => extentOf(tables), [tables]);
  const columnCount = Math.max(WIDE, extent.columns, chosen?.column ?? 0);
  const [seenRows, setSeenRows] = useSeenRows(props.onRows);
  const headerRow = frozenRow(tables, (seenRows[0] ?? 0) + 1);
  const wanted = headerRow === null ? seenRows : [...seenRows, headerRow - 1];
  const blocks = useBlocks(source, sheet, wanted, columnCount, arrangement?.view);
  const rowsKnown = Math.max(extent.rows, blocks.end, chosen?.row ?? 0, MARGIN);
  const knownEnd = useKnownEnd(`${source} ${sheet} ${JSON.stringify(arrangement?.view)}`, rowsKnown + MARGIN);
  const { widths, starts } = useColumns(blocks.first, columnCount);
  const view = useGridView(frame, knownEnd, widths, setSeenRows);
  const chosenName = chosen ? cellName(chosen) : "";
  useScrollToChosen(chosen, chosenName, view.scrollTo);
  const size = { rows: knownEnd, columns: columnCount };
  const choice = useCellChoice(props, size, view.scrollTo);
  const editing = useCellEditing(props.edits, { frame, rows: blocks.rows, choose: choice.choose });
  useImperativeHandle(props.edit, () => () => choice.chosen && editing?.start(choice.chosen));
  return (
    <>
      <Notes cutAt={blocks.isCutAt} refused={editing?.refused ?? null} />
      <div className={classes.whole}>
        <div
          ref={frame}
          className={classes.frame}
          tabIndex={0}
          role="grid"
          aria-label="Cells"
          {...spokenOf(size, blocks, chosenName)}
          {...choice.handlers}
          onKeyDown={(event) => !opens(event, editing, choice) && choice.handlers.onKeyDown(event)}
        >
          <Canvas {...{ view, blocks, widths, starts, choice, headerRow, editing }} {...props} hasOutlines={!edited} />
        </div>
        {edited && <TableEdges {...{ frame, view, starts, size }} tables={edited} />}
      </div>
    </>
  );
}

/** What is said of the grid as a whole. */
function spokenOf(size: { rows: number; columns: number }, { isFirstPending }: Blocks, chosen: string): AriaAttributes {
  return {
    "aria-rowcount": size.rows,
    "aria-colcount": size.columns,
    "aria-multiselectable": true,
    "aria-busy": isFirstPending || undefined,
    "aria-activedescendant": chosen ? `cell-${chosen}` : undefined,
  };
}

/** Open the chosen cell with Enter or F2; return whether that is what was pressed. */
function opens(event: KeyboardEvent, editing: CellEditing | null, { chosen }: CellChoice): boolean {
  if (!editing || !chosen || !["Enter", "F2"].includes(event.key) || event.target !== event.currentTarget) return false;
  event.preventDefault();
  editing.start(chosen);
  return true;
}

/** How wide the columns are, and where each begins. */
function useColumns(first: CellRow[], count: number): { widths: number[]; starts: number[] } {
  return useMemo(() => {
    const widths = widthsOf(first, count);
    return { widths, starts: startsOf(widths, EDGE) };
  }, [first, count]);
}

/** The first and the last row on the screen, reported to the parent. */
function useSeenRows(onRows: Props["onRows"]): [number[], Dispatch<SetStateAction<number[]>>] {
  const [seenRows, setSeenRows] = useState<number[]>([]);
  const [firstSeen = 0, lastSeen = 0] = seenRows;
  useEffect(() => onRows?.(firstSeen + 1, lastSeen + 1), [onRows, firstSeen, lastSeen]);
  return [seenRows, setSeenRows];
}

function useScrollToChosen(chosen: Cell | null, name: string, scrollTo: (cell: Cell) => void): void {
  useEffect(() => {
    if (chosen) scrollTo(chosen);
    // Only another cell moves the view, not another render of the same.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [name]);
}

/** Where a sheet ends that is too large to be shown, and why a cell cannot be changed. */
function Notes({ cutAt, refused }: { cutAt: number | null; refused: string | null }) {
  const cut = `Only the rows up to ${cutAt} can be shown here. Download the document to see the rest; a run reads all of it.`;
  const told = [...(cutAt === null ? [] : [cut]), ...(refused === null ? [] : [refused])];
  return told.map((text) => (
    <p key={text} role="status" className={classes.note}>
      {text}
    </p>
  ));
}

/** Which rows and columns are on the screen, and where. */
function useGridView(
  frame: RefObject<HTMLDivElement | null>,
  rowCount: number,
  widths: number[],
  setSeenRows: Dispatch<SetStateAction<number[]>>,
): GridView {
  const rows = useVirtualizer({
    count: rowCount,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 10,
    paddingStart: ROW,
    scrollPaddingStart: 2 * ROW, // the letters, and the frozen header
    onChange: (virtual) => {
      const { startIndex, endIndex } = virtual.range ?? { startIndex: 0, endIndex: 0 };
      setSeenRows((before) => (before[0] === startIndex && before[1] === endIndex ? before : [startIndex, endIndex]));
    },
  });
  const columns = useVirtualizer({
    count: widths.length,
    horizontal: true,
    getScrollElement: () => frame.current,
    estimateSize: (index) => widths[index] ?? 0,
    overscan: 3,
    paddingStart: EDGE,
  });
  useLayoutEffect(() => columns.measure(), [columns, widths]);
  return {
    rows: rows.getVirtualItems(),
    columns: columns.getVirtualItems(),
    height: rows.getTotalSize(),
    width: columns.getTotalSize(),
    scrollTo: (cell) => {
      rows.scrollToIndex(cell.row - 1, { align: "auto" });
      columns.scrollToIndex(cell.column - 1, { align: "auto" });
    },
  };
}

function extentOf(tables: ArtifactTable[]): { rows: number; columns: number } {
  let rows = 0;
  let columns = 0;
  for (const table of tables) {
    const range = parseRange(table.range);
    rows = Math.max(rows, range?.lastRow ?? 0, table.note_rows.at(-1) ?? 0, table.totals_rows.at(-1) ?? 0);
    columns = Math.max(columns, range?.lastColumn ?? 0, ...table.columns.map((column) => columnNumber(column.source)));
  }
  return { rows, columns };
}

/** How far the sheet goes, as far as is known: a run knows its tables; beyond them, more rows come block by block. */
function useKnownEnd(key: string, atLeast: number): number {
  const [known, setKnown] = useState({ key, end: 0 });
  if (known.key !== key) setKnown({ key, end: atLeast });
  else if (atLeast > known.end) setKnown({ key, end: atLeast });
  return Math.max(known.key === key ? known.end : 0, atLeast);
}
