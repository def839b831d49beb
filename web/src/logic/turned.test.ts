import { describe, expect, it } from "vitest";
import type { ArtifactColumn } from "~/api/artifact";
import { column, table } from "~/testing/things";
import { columnCorrection, correctionWords } from "./corrections";
import { outputColumns, sampleRange, samplesOf } from "./changes";
import { isReshaped, meaningOf } from "./explain";
import { evidenceRange, valuesOf } from "./review";
import { edgesOf, moved, rangeCorrection, shapeOf, turned, type TableShape } from "./tableShape";
import { sourceTitle, sourceWords, transposedWords } from "./turned";

const transposed = {
  is_turned: true,
  is_too_large: false,
  decided_by: "settings",
  range: "A3:D5",
  score: 5,
  contributions: [],
  header_columns: ["A"],
  left_out_columns: ["D"],
} as const;

const cards = table({
  range: "A3:D5",
  header: { rows: [], score: 5, margin: 1, confidence: 0.9, contributions: [], runner_up: null },
  transposed: { ...transposed, header_columns: ["A"], left_out_columns: ["D"], contributions: [] },
  columns: [column("3", "Name", "name"), column("4", "", null), column("5", "City", "city")],
});
const size = { rows: 20, columns: 20 };
const text = (value: string) => ({ value, type: "text" }) as never;

describe("a table whose fields are rows", () => {
  it("names its columns by rows of the document", () => {
    expect(sourceTitle("5")).toBe("Row 5");
    expect(sourceWords("C")).toBe("column C");
    expect(transposedWords(cards)).toBe(
      "It was turned: the settings say so. Column A holds the names of its fields. Not data: column D.",
    );
    expect(transposedWords(table())).toBe("");
  });

  it("says what each of its cells is", () => {
    expect(meaningOf([cards], { row: 3, column: 1 })?.part).toBe("header");
    expect(meaningOf([cards], { row: 5, column: 2 })).toMatchObject({ part: "data", column: { target: "city" } });
    expect(meaningOf([cards], { row: 5, column: 4 })?.part).toBe("totals");
    expect(meaningOf([cards], { row: 9, column: 2 })).toBeNull();
  });

  it("takes samples of a field from its row", () => {
    const rows = [
      { row: 3, cells: [text("Ada"), text("Bruno")] },
      { row: 5, cells: [text("Lyon"), text("Oslo")] },
    ] as never;
    expect(sampleRange(cards)).toBe("B3:D5");
    expect(evidenceRange(cards)).toBe("B3:D5");
    expect(samplesOf(rows, cards, "5")).toEqual(["Lyon", "Oslo"]);
    expect(valuesOf(cards, rows).get("3")?.samples).toEqual(["Ada", "Bruno"]);
  });

  it("is not compared row by row", () => {
    expect(isReshaped(cards)).toBe(true);
    expect(outputColumns(["Name"], cards, null)[0]).toMatchObject({ source: null });
  });

  it("keeps lying as it does when an edge is moved", () => {
    const shape = shapeOf(cards, "Members", []) as TableShape;
    expect(edgesOf(shape)).not.toContain("header");
    expect(rangeCorrection(moved(shape, "bottom", 7, size), "Members")).toEqual({
      kind: "range",
      range: "A3:D7",
      sheet: "Members",
      header_rows: 1,
      transposed: true,
    });
    expect(rangeCorrection(turned(shape), null)).toEqual({
      kind: "range",
      range: "A3:D5",
      sheet: null,
      header_rows: 1,
    });
  });

  it("has corrections in words", () => {
    const one = rangeCorrection(shapeOf(cards, null, []) as TableShape, null);
    expect(correctionWords(one, String)).toBe("A3:D5 is a table whose fields are rows, with 1 column of names");
    const field = columnCorrection(cards, cards.columns[1] as ArtifactColumn, { field: "amount" });
    expect(correctionWords(field, String)).toBe("Row 4 is amount");
  });
});
