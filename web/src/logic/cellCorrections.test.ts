import { expect, it } from "vitest";
import { artifact, column, sheet, table } from "~/testing/things";
import {
  correctedBy,
  correctedPlaces,
  isAt,
  resultPlace,
  resultRow,
  sourceCorrection,
  sourceRefusal,
  sourceRow,
  tableRefusal,
  valueCorrection,
} from "./cellCorrections";
import type { OutputColumn } from "./changes";

const COLUMNS = [
  column("A", "Member ID", "member_id"),
  column("B", "Day", "joined_on"),
  column("C", "First", "name"),
  column("D", "Last", "name"),
];
const TABLE = table({
  output: "Members",
  range: "A3:D20",
  header: { rows: [3], score: 5, margin: 1, confidence: 0.9, contributions: [], runner_up: null },
  columns: COLUMNS,
  row_numbers: [
    [4, 3],
    [9, 2],
  ],
  transform: {
    member_id: { changed: 2, rules: { "type.text": 1, correction: 1 } },
    joined_on: { changed: 2, rules: { "columns/day.py:transform": 2 } },
    name: { changed: 5, rules: { combine: 5 } },
    branch: { changed: 5, rules: { constant: 5 } },
  },
});
const output = (part: Partial<OutputColumn>): OutputColumn => ({
  title: "x",
  field: null,
  source: null,
  from: null,
  transform: null,
  changed: 0,
  isTyped: false,
  ...part,
});

it("finds the row of the document that a row of the result is from, and back", () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((row) => sourceRow(TABLE, row))).toEqual([null, 4, 5, 6, 9, 10, null]);
  expect([3, 4, 6, 7, 9, 10, 11].map((row) => resultRow(TABLE, row))).toEqual([null, 2, 4, null, 5, 6, null]);
});

it("names the cell of the document, or the field of a row where its rules make the value", () => {
  const place = (part: Partial<OutputColumn>, row = 5) => resultPlace(TABLE, "May", output(part), row);
  expect(place({ field: "member_id", source: 1 })).toEqual({ cell: "A9", sheet: "May" });
  expect(place({ field: null, source: 4 }, 2)).toEqual({ cell: "D4", sheet: "May" });
  expect(place({ field: "joined_on", source: 2 })).toEqual({ row: 9, field: "joined_on", sheet: "May" });
  expect(place({ field: "name", source: 3 })).toEqual({ row: 9, field: "name", sheet: "May" });
  expect(place({ field: "branch" })).toEqual({ row: 9, field: "branch", sheet: "May" });
  expect(place({})).toBeNull();
  expect(place({ field: "branch" }, 1)).toBeNull();
});

it("notes what a cell of the document holds, and makes it empty without a text", () => {
  const place = { cell: "B4", sheet: null };
  const made = sourceCorrection(place, "", { type: "text", value: "soon" });
  expect(made).toEqual({ kind: "cell", cell: "B4", sheet: null, new: null, found: "soon" });
  expect(isAt(made, place)).toBe(true);
  expect(isAt(made, { ...place, sheet: "May" })).toBe(false);
  expect(isAt(valueCorrection({ row: 4, field: "day" }, "x"), place)).toBe(false);
});

it("says why a cell cannot be changed", () => {
  expect(sourceRefusal([TABLE], { row: 5, column: 2 })).toBeNull();
  expect(sourceRefusal([TABLE], { row: 3, column: 2 })).toContain("only cells in rows of data");
  expect(sourceRefusal([TABLE], { row: 40, column: 2 })).toContain("only cells in rows of data");
  const one = { ...artifact([sheet({ tables: [TABLE] })]), outputs: [{ name: "Members", file: "normalized.xlsx" }] };
  expect(tableRefusal(one, TABLE, 0)).toBeNull();
  expect(tableRefusal(one, { ...TABLE, row_numbers: null }, 0)).toContain("which row");
  expect(tableRefusal({ ...one, outputs: [] }, TABLE, 0)).toContain("several tables");
  const added = { dropped: {}, added: { unpivot: 3 }, totals: { checked: 0, wrong: 0 } };
  expect(tableRefusal(one, { ...TABLE, reshaped: added }, 0)).toContain("became several");
});

it("says who corrected a value, whatever it was named by", () => {
  const about = { id: "1", kind: "cell", by: "Ada", at: null, document: null, message: "" } as const;
  const made = artifact([sheet({ tables: [TABLE] })]);
  const corrections = [
    { ...about, place: { sheet: "May", cell: "A9" } },
    { ...about, by: null, place: { row: 9, field: "branch" } },
    { ...about, place: { sheet: "June", cell: "B9" } },
  ];
  const configuration = { ...made.configuration, corrections } as unknown as NonNullable<typeof made.configuration>;
  const places = correctedPlaces({ ...made, configuration }, "May");
  expect(correctedBy(places, output({ source: 1 }), 9)).toBe("corrected by Ada");
  expect(correctedBy(places, output({ field: "branch" }), 9)).toBe("corrected");
  expect(correctedBy(places, output({ source: 2 }), 9)).toBeNull();
});
