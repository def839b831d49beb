import { describe, expect, it } from "vitest";
import type { Correction } from "~/api/types";
import { column, table } from "~/testing/things";
import {
  columnCorrection,
  correctionWords,
  isOfOneDocument,
  noteWords,
  placesWords,
  rowCorrections,
} from "./corrections";

const label = (field: string): string => ({ email: "Email", joined_on: "Joined on" })[field] ?? field;

describe("a correction in words", () => {
  const all: [Correction, string][] = [
    [{ kind: "header", header: "Mail", field: "email" }, "“Mail” is Email"],
    [{ kind: "header", header: "Mail", field: null, sheet: "Old" }, "“Mail” is left out on sheet “Old”"],
    [{ kind: "column", column: "C", field: null, kept: true }, "Column C is kept as it is"],
    [{ kind: "value", field: "joined_on", value: "soon", new: null }, "“soon” in Joined on is made empty"],
    [{ kind: "value", field: "joined_on", value: "soon", new: "later" }, "“soon” in Joined on becomes “later”"],
    [{ kind: "value", field: "joined_on", value: "soon", outcome: "accept" }, "“soon” in Joined on is right as it is"],
    [{ kind: "row", row: 4, label: "header" }, "Row 4 is the header"],
    [{ kind: "range", range: "B4:F20", header_rows: 2 }, "B4:F20 is a table with 2 header rows"],
    [
      { kind: "range", range: "B4:F20", sheet: "Old", header_rows: 0 },
      "B4:F20 is a table with no header on sheet “Old”",
    ],
    [{ kind: "sheet", sheet: "Old", ignored: true }, "Sheet “Old” is not read"],
    [{ kind: "field", field: "joined_on", type: "date", day_first: false }, "Joined on: date, month first"],
    [{ kind: "new_field", field: "since", label: "Since" }, "Since is a new field"],
  ];
  it.each(all)("%j", (correction, words) => {
    expect(correctionWords(correction, label)).toBe(words);
  });

  it("is counted without its value in the note of a version", () => {
    const corrections = all.map(([correction]) => correction);
    expect(noteWords(corrections, "october.xlsx")).toBe(
      "3 columns, 1 new field, 3 values, 1 field, 1 sheet, from october.xlsx",
    );
    expect(noteWords(corrections, "october.xlsx")).not.toContain("soon");
  });
});

describe("a column", () => {
  const alike = [
    column("A", "Name", null),
    column("B", "name", null),
    column("C", "", null),
    column("D", "Mail", null),
  ];
  const found = table({ columns: alike });
  it("is named by its header where that is its own, and by its place otherwise", () => {
    const kinds = alike.map((one) => columnCorrection(found, one, { field: "email" }));
    expect(kinds.map(({ kind }) => kind)).toEqual(["column", "column", "column", "header"]);
  });
});

describe("a row that is the header", () => {
  it("makes titles of the rows above it, and data of old headers below it", () => {
    const found = table({ range: "A2:C9", header: { ...table().header, rows: [2, 5] } });
    const made = rowCorrections(4, "header", "Sheet", found);
    expect(made.map((one) => one.kind === "row" && [one.row, one.label])).toEqual([
      [2, "title"],
      [3, "title"],
      [5, "data"],
      [4, "header"],
    ]);
  });

  it("is only itself where there is no table, and where it is something else", () => {
    expect(rowCorrections(4, "header", null, null)).toHaveLength(1);
    expect(rowCorrections(4, "note", null, table())).toHaveLength(1);
  });
});

it("says what a cell becomes, and that cells and rows are of one document", () => {
  const cell = { kind: "cell", cell: "C7", sheet: "May", new: "x" } as const;
  const field = { kind: "cell", row: 7, field: "branch", new: null } as const;
  expect(correctionWords(cell, (name) => name)).toBe("C7 on sheet “May” becomes “x”");
  expect(correctionWords(field, () => "Branch")).toBe("Branch in row 7 is made empty");
  expect(isOfOneDocument(cell)).toBe(true);
  expect(placesWords([cell, { kind: "row", row: 3, label: "data" }])).toBe("cells and rows");
  expect(placesWords([{ kind: "range", range: "A1:B2", header_rows: 1 }])).toBe("rows");
});
