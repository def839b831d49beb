import { expect, it } from "vitest";
import type { Issue } from "~/api/artifact";
import type { OutputColumn } from "./changes";
import { resultMarks } from "./resultMarks";

type Table = Parameters<typeof resultMarks>[0];
const table = (written: number, dropped: Record<string, number> = {}) =>
  ({ rows: { written }, reshaped: { dropped, added: {}, totals: { checked: 0, wrong: 0 } } }) as unknown as Table;
const columns = ["id", "day"].map((field) => ({ field })) as OutputColumn[];
const issue = (cell: string | null, field: string | null) => ({ cell, field, rule: "type.date" }) as Issue;
// Rows 4 and 6 are data; 5 is a total that was left out.
const entries = [
  { row: 4, part: null },
  { row: 5, part: "totals" as const },
  { row: 6, part: null },
];

it("puts issues where their cells are in the result, below its header", () => {
  const found = [issue("C4", "day"), issue("C6", "day"), issue("A6", "id"), issue("C6", "day")];
  const marks = resultMarks(table(2), entries, columns, found);
  expect([...marks].map(([cell, issues]) => [cell, issues.length])).toEqual([
    ["B2", 1],
    ["B3", 2],
    ["A3", 1],
  ]);
});

it("leaves out issues of other fields, of left-out rows and of whole tables", () => {
  const found = [issue("C4", "other"), issue("C5", "day"), issue(null, "day"), issue("C4", null)];
  expect(resultMarks(table(2), entries, columns, found).size).toBe(0);
});

it("marks nothing where rows were left out or added, so that their places are not known", () => {
  expect(resultMarks(table(1), entries, columns, [issue("C4", "day")]).size).toBe(0);
  expect(resultMarks(table(2, { correction: 1 }), entries, columns, [issue("C4", "day")]).size).toBe(0);
});

it("follows the rows that the engine names, also where rows were left out", () => {
  const named = { ...table(2, { correction: 1 }), row_numbers: [[6, 1], [4, 1]] } as unknown as Table; // prettier-ignore
  expect([...resultMarks(named, entries, columns, [issue("C4", "day"), issue("C5", "day")]).keys()]).toEqual(["B3"]);
});
