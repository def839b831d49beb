/** Cells in reading order: row by row, from left to right. */
import type { Cell } from "./a1";

export type Step = 1 | -1;

/** The order of two cells: below 0 when the first one comes first. */
function inReadingOrder(one: Cell, other: Cell): number {
  return one.row - other.row || one.column - other.column;
}

/** The next cell after a place, or the one before it; of no place, the first or the last. */
export function nextCell(cells: readonly Cell[], from: Cell | null, step: Step): Cell | null {
  const ahead = from === null ? [...cells] : cells.filter((one) => inReadingOrder(one, from) * step > 0);
  return ahead.sort((one, other) => inReadingOrder(one, other) * step)[0] ?? null;
}
