import { expect, it } from "vitest";
import { frozenRow } from "./frozen";

const table = (range: string, rows: number[]) => ({ range, header: { rows } }) as Parameters<typeof frozenRow>[0][0];
const tables = [table("A3:D20", [3, 4]), table("A30:D40", [30]), table("A50:D60", [])];

it.each([
  [1, null],
  [4, null],
  [5, 4],
  [20, 4],
  [21, null],
  [31, 30],
  [55, null],
])("with row %i on top, row %s stays", (firstSeen, row) => {
  expect(frozenRow(tables, firstSeen)).toBe(row);
});
