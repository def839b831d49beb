import { expect, test } from "vitest";
import type { ArtifactTable } from "~/api/artifact";
import type { Correction } from "~/api/types";
import { parseRange, rangeName, type Range } from "./a1";
import { moved, placeOf, rangeCorrection, shapeOf, type Edge } from "./tableShape";

const SIZE = { rows: 100, columns: 26 };
const table = (range: string, ...rows: number[]) => ({ range, header: { rows } }) as unknown as ArtifactTable;
const shape = (range: string, headerRows: number) => ({ range: parseRange(range) as Range, headerRows });

test.each<[string, number, Edge, number, string, number]>([
  ["B4:F20", 1, "bottom", 18, "B4:F18", 1],
  ["B4:F20", 1, "bottom", 1, "B4:F4", 1],
  ["B4:F20", 2, "bottom", 1, "B4:F5", 2],
  ["B4:F20", 1, "bottom", 900, "B4:F100", 1],
  ["B4:F20", 1, "left", 30, "F4:F20", 1],
  ["B4:F20", 1, "right", 1, "B4:B20", 1],
  ["B4:F20", 1, "top", 2, "B2:F20", 3],
  ["B4:F20", 2, "top", 5, "B5:F20", 1],
  ["B4:F20", 1, "top", 6, "B6:F20", 1],
  ["B4:F20", 0, "top", 6, "B6:F20", 0],
  ["B4:F20", 1, "header", 6, "B4:F20", 3],
  ["B4:F20", 1, "header", 1, "B4:F20", 0],
])("of %s with %i header rows, the %s edge moved to %i makes %s with %i", (range, rows, edge, to, name, count) => {
  const made = moved(shape(range, rows), edge, to, SIZE);
  expect([rangeName(made.range), made.headerRows]).toEqual([name, count]);
});

test("a table is where it was found, or where it was corrected to", () => {
  const found = table("B4:F20", 4, 5);
  expect(shapeOf(found, null, [])).toEqual(shape("B4:F20", 2));
  expect(shapeOf(table("B4:F20"), null, [])?.headerRows).toBe(0);
  const corrected = rangeCorrection(shape("B6:F20", 1), null);
  const elsewhere: Correction = { ...corrected, kind: "range", sheet: "Other" } as Correction;
  expect(shapeOf(found, null, [elsewhere, corrected])).toEqual(shape("B6:F20", 1));
  expect(placeOf(shape("B6:F20", 1), "header")).toBe(6);
});
