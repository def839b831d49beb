import { describe, expect, it } from "vitest";
import type { CellRow } from "~/api/types";
import { nearestCell } from "./linkedCell";

const rowOf = (row: number, width: number): CellRow => ({ row, is_hidden: false, cells: Array(width).fill(null) });

describe("a cell that an address names", () => {
  const sheet = { rows: [rowOf(1, 4), rowOf(2, 40)], last_row: 12 };
  it("is itself where the sheet goes so far, or where the grid shows empty cells anyway", () => {
    for (const cell of [
      { row: 2, column: 40 },
      { row: 30, column: 26 },
    ])
      expect(nearestCell(cell, sheet)).toEqual(cell);
  });
  it("is the nearest where it does not", () => {
    expect(nearestCell({ row: 999_999, column: 18_278 }, sheet)).toEqual({ row: 12, column: 40 });
    expect(nearestCell({ row: 500, column: 2 }, { rows: [], last_row: 0 })).toEqual({ row: 1, column: 2 });
  });
  it("is itself while it is not known where the sheet ends", () => {
    expect(nearestCell({ row: 5000, column: 2 }, { ...sheet, last_row: null })).toEqual({ row: 5000, column: 2 });
    const wide = { rows: [rowOf(1, 200)], last_row: 3 };
    expect(nearestCell({ row: 1, column: 300 }, wide)).toEqual({ row: 1, column: 300 });
  });
});
