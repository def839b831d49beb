/** The cell an address names, if the sheet has it: links are written by hand, and sheets get shorter. */
import { useQuery } from "@tanstack/react-query";
import { cellsQuery } from "~/api/queries";
import type { Cells } from "~/api/types";
import { cellName, columnLetters, parseCell, type Cell } from "~/logic/a1";

// The grid asks for a hundred rows at once, and gets this many cells at most.
const MOST_COLUMNS = 200;
const FIRST_BLOCK = `A1:${columnLetters(MOST_COLUMNS)}100`;
const ALWAYS_SHOWN = 26;
const MARGIN = 20; // empty rows that the grid shows below the last

export interface Linked {
  cell: Cell | null;
  /** Why it is another cell than the one that was named. */
  note: string | null;
}

export function useLinkedCell(source: string, sheet: number, name: string | undefined): Linked {
  const wanted = parseCell(name ?? "");
  const start = useQuery({ ...cellsQuery(source, sheet, FIRST_BLOCK), enabled: wanted !== null }).data;
  if (!name) return { cell: null, note: null };
  if (!wanted) return { cell: null, note: `${name} is not the name of a cell.` };
  if (!start) return { cell: null, note: null };
  const cell = nearestCell(wanted, start);
  const isThere = cell.row === wanted.row && cell.column === wanted.column;
  return {
    cell,
    note: isThere ? null : `The sheet has no cell ${cellName(wanted)}. ${cellName(cell)} is the nearest.`,
  };
}

/** Return the cell, or the nearest one of a sheet that does not go so far; where it ends may not be known yet. */
export function nearestCell(cell: Cell, { rows, last_row }: Pick<Cells, "rows" | "last_row">): Cell {
  const width = Math.max(1, ...rows.map((row) => row.cells.length));
  // A row that reaches the end of the requested area may continue beyond it.
  const lastColumn = width < MOST_COLUMNS ? width : Infinity;
  const lastRow = last_row ?? Infinity;
  return {
    row: cell.row > lastRow + MARGIN ? Math.max(1, lastRow) : cell.row,
    column: cell.column > Math.max(ALWAYS_SHOWN, lastColumn) ? lastColumn : cell.column,
  };
}
