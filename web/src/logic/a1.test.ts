import { describe, expect, it } from "vitest";
import { cellName, columnLetters, columnNumber, isInside, parseCell, parseRange, rangeName } from "./a1";

describe("cell names", () => {
  it.each([
    [1, "A"],
    [26, "Z"],
    [27, "AA"],
    [702, "ZZ"],
    [703, "AAA"],
    [16_384, "XFD"],
  ])("column %i is %s, and back", (number, letters) => {
    expect(columnLetters(number)).toBe(letters);
    expect(columnNumber(letters)).toBe(number);
  });

  it("reads cells as people write them", () => {
    expect(parseCell("c6")).toEqual({ row: 6, column: 3 });
    expect(parseCell("$B$12")).toEqual({ row: 12, column: 2 });
    expect(cellName({ row: 6, column: 3 })).toBe("C6");
  });

  it.each(["", "6C", "A0", "ABCD1", "A", "A1:B2"])("takes %j for no cell", (name) => {
    expect(parseCell(name)).toBeNull();
  });

  it("reads ranges from either corner", () => {
    expect(parseRange("E9:A1")).toEqual({ firstRow: 1, firstColumn: 1, lastRow: 9, lastColumn: 5 });
    expect(rangeName({ firstRow: 1, firstColumn: 1, lastRow: 9, lastColumn: 5 })).toBe("A1:E9");
    expect(parseRange("B2")).toEqual({ firstRow: 2, firstColumn: 2, lastRow: 2, lastColumn: 2 });
    expect(parseRange("nonsense")).toBeNull();
  });

  it("knows what lies inside a range", () => {
    const range = { firstRow: 2, firstColumn: 2, lastRow: 4, lastColumn: 3 };
    expect(isInside(range, { row: 2, column: 2 })).toBe(true);
    expect(isInside(range, { row: 5, column: 2 })).toBe(false);
  });
});
