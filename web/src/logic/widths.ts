/** How wide the columns of a sheet are drawn. */
import type { CellRow } from "~/api/types";
import { cellText } from "./changes";

const LEAST = 124;
const MOST = 300;
const EMPTY = 104;
const PER_CHARACTER = 7.8;
const PADDING = 20;
// A title above a table is longer than all below it, and must not widen them.
const SHARE_SHOWN_WHOLE = 0.95;

/** Return a width for each column, by what its first rows hold. */
export function widthsOf(rows: CellRow[], count: number): number[] {
  const lengths: number[][] = Array.from({ length: count }, () => []);
  for (const row of rows)
    row.cells.slice(0, count).forEach((cell, column) => {
      const { length } = cellText(cell);
      if (length > 0) lengths[column]?.push(length);
    });
  return lengths.map(widthOf);
}

function widthOf(lengths: number[]): number {
  if (lengths.length === 0) return EMPTY;
  const sorted = [...lengths].sort((one, two) => one - two);
  const long = sorted[Math.floor((sorted.length - 1) * SHARE_SHOWN_WHOLE)] ?? 0;
  return Math.round(Math.min(MOST, Math.max(LEAST, long * PER_CHARACTER + PADDING)));
}

/** Return where each column begins, and behind them where the last one ends. */
export function startsOf(widths: number[], from: number): number[] {
  const starts = [from];
  for (const width of widths) starts.push((starts.at(-1) ?? 0) + width);
  return starts;
}

/** Return how wide the text of a cell is drawn: like in a spreadsheet, over the empty cells to its right. */
export function spillOf(cells: CellRow["cells"], column: number, widths: number[]): number {
  const own = widths[column] ?? 0;
  const cell = cells[column];
  if (cell?.type !== "text") return own;
  const wanted = cellText(cell).length * PER_CHARACTER + PADDING;
  let width = own;
  for (let next = column + 1; width < wanted && next < widths.length && !cells[next]; next++)
    width += widths[next] ?? 0;
  return width;
}
