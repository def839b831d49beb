import { expect, it } from "vitest";
import type { CellRow } from "~/api/types";
import { tabbed } from "./copied";

it("copies a range as spreadsheets do, with blank rows and cells in their place", () => {
  const text = (value: string) => ({ type: "text" as const, value });
  const rows: CellRow[] = [
    { row: 2, is_hidden: false, cells: [text("a"), text('5" disk')] },
    { row: 4, is_hidden: false, cells: [null, { type: "number", value: 3 }] },
  ];
  const range = { firstRow: 2, lastRow: 4, firstColumn: 1, lastColumn: 2 };
  expect(tabbed(rows, range)).toBe('a\t"5"" disk"\n\t\n\t3');
});
