import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from "react";
import type { ArtifactTable, Issue } from "~/api/artifact";
import { cellsQuery } from "~/api/queries";
import type { CellRow, CellValue } from "~/api/types";
import { showDone, showProblem } from "~/components/feedback";
import {
  cellName,
  columnLetters,
  columnNumber,
  isInside,
  parseRange,
  rangeName,
  spanned,
  type Cell,
  type Range,
} from "~/logic/a1";
import { cellText } from "~/logic/changes";
import { tabbed } from "~/logic/copied";
import { meaningOf } from "~/logic/explain";
import { spillOf, startsOf, widthsOf } from "~/logic/widths";
import classes from "./CellGrid.module.css";

const ROW = 27;
const EDGE = 58;
const BLOCK = 100; // rows that are asked for together
const MOST_CELLS = 20_000; // that the server answers at once
const WIDE = 26;
const MARGIN = 20;

interface Props {
  source: string;
  sheet: number;
  tables: ArtifactTable[];
  issues: Map<string, Issue[]>;
  chosen: Cell | null;
  onChoose: (cell: Cell) => void;
  /** Called with the first and the last row on the screen. */
  onRows?: (first: number, last: number) => void;
}

/** A sheet as people know it, A1 at the corner, with what a run saw in it drawn on top. Only what is seen is loaded. */
export function CellGrid({ source, sheet, tables, issues, chosen, onChoose, onRows }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const extent = useMemo(() => extentOf(tables), [tables]);
  const columnCount = Math.max(WIDE, extent.columns, chosen?.column ?? 0);
  const [seenRows, setSeenRows] = useState<number[]>([]);
  const [firstSeen = 0, lastSeen = 0] = seenRows;
  useEffect(() => onRows?.(firstSeen + 1, lastSeen + 1), [onRows, firstSeen, lastSeen]);
  const blocks = useBlocks(source, sheet, seenRows, columnCount);
  const atLeast = Math.max(extent.rows, blocks.end, chosen?.row ?? 0, MARGIN) + MARGIN;
  const knownEnd = useKnownEnd(`${source} ${sheet}`, atLeast);
  const rows = useVirtualizer({
    count: knownEnd,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 10,
    paddingStart: ROW,
    onChange: (virtual) => {
      const { startIndex, endIndex } = virtual.range ?? { startIndex: 0, endIndex: 0 };
      setSeenRows((before) => (before[0] === startIndex && before[1] === endIndex ? before : [startIndex, endIndex]));
    },
  });
  const widths = useMemo(() => widthsOf(blocks.first, columnCount), [blocks.first, columnCount]);
  const starts = useMemo(() => startsOf(widths, EDGE), [widths]);
  const columns = useVirtualizer({
    count: columnCount,
    horizontal: true,
    getScrollElement: () => frame.current,
    estimateSize: (index) => widths[index] ?? 0,
    overscan: 3,
    paddingStart: EDGE,
  });
  useLayoutEffect(() => columns.measure(), [columns, widths]);
  const shownRows = rows.getVirtualItems();
  const chosenName = chosen ? cellName(chosen) : "";
  useEffect(() => {
    if (!chosen) return;
    rows.scrollToIndex(chosen.row - 1, { align: "auto" });
    columns.scrollToIndex(chosen.column - 1, { align: "auto" });
    // Only another cell moves the view, not another render of the same.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [chosenName]);
  const { range, corner, extendTo } = useSelection(`${source} ${sheet}`, chosen);
  const copy = useCopy(source, sheet);
  const press = (event: KeyboardEvent): void => {
    if (event.key === "c" && (event.metaKey || event.ctrlKey) && range) {
      event.preventDefault();
      copy(range);
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const from = (event.shiftKey && corner) || chosen || { row: 1, column: 1 };
    const to = {
      row: Math.min(knownEnd, Math.max(1, from.row + step[0])),
      column: Math.min(columnCount, Math.max(1, from.column + step[1])),
    };
    if (!event.shiftKey || !chosen) return onChoose(to);
    extendTo(to);
    rows.scrollToIndex(to.row - 1, { align: "auto" });
    columns.scrollToIndex(to.column - 1, { align: "auto" });
  };
  const click = (event: MouseEvent, cell: Cell): void => {
    if (event.shiftKey && chosen) extendTo(cell);
    else {
      extendTo(null);
      onChoose(cell);
    }
  };
  return (
    <>
      {blocks.isCutAt !== null && (
        <p role="status" className={classes.note}>
          Only the rows up to {blocks.isCutAt} can be shown here. Download the document to see the rest; a run reads all
          of it.
        </p>
      )}
      <div
        ref={frame}
        className={classes.frame}
        tabIndex={0}
        role="grid"
        aria-label="Cells"
        aria-rowcount={knownEnd}
        aria-colcount={columnCount}
        aria-multiselectable
        aria-busy={blocks.isFirstPending || undefined}
        aria-activedescendant={chosenName ? `cell-${chosenName}` : undefined}
        onKeyDown={press}
        // Shift and a click choose a range of cells, not the text between two places.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      >
        <div
          className={classes.canvas}
          style={{ height: rows.getTotalSize(), width: columns.getTotalSize() }}
          role="rowgroup"
        >
          <div className={classes.top} style={{ width: columns.getTotalSize() }} role="row">
            <div className={classes.corner} role="columnheader" aria-label="Row" />
            {columns.getVirtualItems().map((column) => (
              <div
                key={column.index}
                className={classes.letter}
                style={{ left: column.start, width: column.size }}
                role="columnheader"
              >
                {columnLetters(column.index + 1)}
              </div>
            ))}
          </div>
          {shownRows.map((row) => (
            <div
              key={row.index}
              role="row"
              aria-rowindex={row.index + 1}
              className={classes.row}
              style={{ top: row.start, height: row.size }}
            >
              <div className={classes.number} role="rowheader">
                {row.index + 1}
              </div>
              {columns.getVirtualItems().map((column) => {
                const cell = { row: row.index + 1, column: column.index + 1 };
                const name = cellName(cell);
                const cells = blocks.rows.get(cell.row)?.cells ?? NO_CELLS;
                const value = cells[column.index] ?? null;
                const spill = spillOf(cells, column.index, widths);
                const meaning = meaningOf(tables, cell);
                const found = issues.get(name);
                return (
                  <div
                    key={column.index}
                    id={`cell-${name}`}
                    role="gridcell"
                    aria-selected={range !== null && isInside(range, cell)}
                    data-ranged={(corner !== null && range !== null && isInside(range, cell)) || undefined}
                    className={classes.cell}
                    data-part={meaning?.part}
                    data-unmapped={(meaning?.part === "data" && meaning.column?.target === null) || undefined}
                    data-issue={found?.[0]?.severity}
                    data-type={value?.type}
                    data-spill={spill > column.size || undefined}
                    data-hidden={blocks.rows.get(cell.row)?.is_hidden || undefined}
                    title={titleOf(value, found)}
                    style={{ left: column.start, width: column.size }}
                    onClick={(event) => click(event, cell)}
                  >
                    {spill > column.size ? (
                      <span className={classes.spill} style={{ width: spill - 1 }}>
                        {cellText(value)}
                      </span>
                    ) : (
                      cellText(value)
                    )}
                  </div>
                );
              })}
            </div>
          ))}
          {tables.map((table) => (
            <Frame key={table.range} table={table} starts={starts} />
          ))}
        </div>
      </div>
    </>
  );
}

interface Selection {
  range: Range | null;
  corner: Cell | null;
  extendTo: (cell: Cell | null) => void;
}

/** The chosen cell, or the range from it to another one. */
function useSelection(key: string, chosen: Cell | null): Selection {
  const [extent, setExtent] = useState<{ from: string; to: Cell } | null>(null);
  const from = `${key} ${chosen ? cellName(chosen) : ""}`;
  const corner = extent?.from === from ? extent.to : null;
  return {
    range: chosen && spanned(chosen, corner ?? chosen),
    corner,
    extendTo: (to) => setExtent(to && { from, to }),
  };
}

/** Copies a range. It is asked for whole: only what is on the screen was loaded. */
function useCopy(source: string, sheet: number): (range: Range) => void {
  const client = useQueryClient();
  return (range) => {
    const name = rangeName(range);
    client
      .fetchQuery(cellsQuery(source, sheet, name))
      .then(({ rows }) => navigator.clipboard.writeText(tabbed(rows, range)))
      .then(() => showDone(`${name} copied`), showProblem);
  };
}

const STEPS: Record<string, [number, number]> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [20, 0],
  PageUp: [-20, 0],
};

function titleOf(value: CellValue | null, issues: Issue[] | undefined): string | undefined {
  const problems = issues?.map((issue) => issue.message).join("; ");
  return [cellText(value), problems].filter(Boolean).join(" · ") || undefined;
}

/** The outline of a table. */
function Frame({ table, starts }: { table: ArtifactTable; starts: number[] }) {
  const range = parseRange(table.range);
  if (!range) return null;
  const left = starts[range.firstColumn - 1] ?? 0;
  return (
    <div
      aria-hidden
      className={classes.table}
      style={{
        left,
        top: ROW + (range.firstRow - 1) * ROW,
        width: (starts[range.lastColumn] ?? 0) - left,
        height: (range.lastRow - range.firstRow + 1) * ROW,
      }}
    />
  );
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

function blockRange(block: number, size: number, columns: number): string {
  return rangeName({ firstRow: block * size + 1, lastRow: (block + 1) * size, firstColumn: 1, lastColumn: columns });
}

/** How far the sheet goes, as far as is known: a run knows its tables; beyond them, more rows come block by block. */
function useKnownEnd(key: string, atLeast: number): number {
  const [known, setKnown] = useState({ key, end: 0 });
  if (known.key !== key) setKnown({ key, end: atLeast });
  else if (atLeast > known.end) setKnown({ key, end: atLeast });
  return Math.max(known.key === key ? known.end : 0, atLeast);
}

const NO_ROWS: CellRow[] = [];
const NO_CELLS: CellRow["cells"] = [];

interface Blocks {
  rows: Map<number, CellRow>;
  first: CellRow[];
  end: number;
  isCutAt: number | null;
  isFirstPending: boolean;
}

/** The blocks these rows are in, and up to which row there is something as far as they tell. */
function useBlocks(source: string, sheet: number, rows: number[], columns: number): Blocks {
  const size = Math.max(1, Math.min(BLOCK, Math.floor(MOST_CELLS / columns)));
  const blocks = [...new Set([0, ...rows.map((row) => Math.floor(row / size))])];
  return useQueries({
    queries: blocks.map((block) => cellsQuery(source, sheet, blockRange(block, size, columns))),
    combine: (results) => ({
      isFirstPending: results[0]?.isPending ?? false,
      first: results[0]?.data?.rows ?? NO_ROWS,
      isCutAt: results.find(({ data }) => data && !data.is_whole)?.data?.last_row ?? null,
      rows: new Map(results.flatMap((result) => (result.data?.rows ?? []).map((row) => [row.row, row] as const))),
      end: Math.max(
        ...results.map(
          ({ data }, index) =>
            data?.last_row ?? (data?.has_more_rows ? ((blocks[index] ?? 0) + 2) * size : (data?.rows.at(-1)?.row ?? 0)),
        ),
      ),
    }),
  });
}
