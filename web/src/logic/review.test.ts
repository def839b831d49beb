import { expect, it } from "vitest";
import type { CellRow } from "~/api/types";
import { artifact, column, table } from "~/testing/things";
import { certaintyWords, evidenceRange, openColumns, reviewedFields, valuesOf } from "./review";

const suggestions = [{ field: "email", confidence: 0.59, contributions: [] }];
const COLUMNS = [
  column("A", "Member ID", "member_id"),
  column("B", "Contact", null, { reason: "unsure", suggestions }),
  column("C", "Begin", null, { reason: "no_candidate", suggestions: [] }),
  column("D", "Remark", null, { reason: "kept", suggestions: [] }),
];
const TABLE = table({ range: "A1:D3", columns: COLUMNS });
const FIELDS = ["member_id", "email", "joined_on"].map((name) => ({ field: name, label: name, is_required: false }));
const ROWS: CellRow[] = [2, 3].map((row) => ({
  row,
  cells: ["M1", `p${row}@x.org`, `2024-01-0${row}`, "x"].map((value) => ({ type: "text", value })),
})) as CellRow[];

function reviewed() {
  const found = artifact([]);
  const known = { ...found, configuration: { ...found.configuration, expected: FIELDS } } as typeof found;
  const manifest = { fields: [{ name: "joined_on", type: "date", label: "Joined on" }], warnings: [] } as never;
  return reviewedFields(known, TABLE, manifest, valuesOf(TABLE, ROWS));
}

it("puts the fields first that were not found, each with the columns that may be it and why", () => {
  const fields = reviewed();
  expect(fields.map(({ name, isMissing }) => [name, isMissing])).toEqual([
    ["email", true],
    ["joined_on", true],
    ["member_id", false],
  ]);
  const told = fields.map(({ candidates }) => candidates.map((one) => [one.column.source, one.evidence]));
  expect(told).toEqual([
    [["B", "59 % likely; 2 of 2 look like e-mail addresses"]],
    [["C", "2 of 2 look like dates"]],
    [],
  ]);
});

it("counts a column as unknown until somebody decides about it", () => {
  expect(openColumns(TABLE).map(({ source }) => source)).toEqual(["B", "C"]);
});

it("takes evidence from the first rows of data", () => {
  expect(evidenceRange(TABLE)).toBe("A2:D3");
  expect(evidenceRange(table({ range: "A1:D1" }))).toBeNull();
});

it("says how certain a mapping is in words", () => {
  const words = (part: object): string => certaintyWords(column("A", "x", "x", part));
  expect([{ confidence: 0.99 }, { confidence: 0.92 }, { confidence: 0.5 }, { reason: "corrected" }].map(words)).toEqual(
    ["certain", "likely", "uncertain, please check", "chosen by a person"],
  );
});
