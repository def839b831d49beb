import { describe, expect, it } from "vitest";
import type { TableRow } from "./changes";
import { countData, dataRows, pagesToRead, placeInResult } from "./resultPages";

const data = (row: number): TableRow => ({ row, part: null });
const left = (row: number): TableRow => ({ row, part: "totals" });
/** Ten rows from 2 on, of which every fifth is a total. */
const ROWS = Array.from({ length: 10 }, (_, index) => ((index + 1) % 5 === 0 ? left(index + 2) : data(index + 2)));
const SIZES = [1, 2, 3, 4, 7, 10, 20];

describe("rows of a table", () => {
  it("counts and names those that are data", () => {
    expect(countData(ROWS)).toBe(8);
    expect(dataRows(ROWS)).toEqual([2, 3, 4, 5, 7, 8, 9, 10]);
    expect([countData([]), dataRows([])]).toEqual([0, []]);
  });
});

describe("pages of the document to read", () => {
  it("is one where every row is in the result", () => {
    expect(pagesToRead(ROWS, 4, 1, true)).toEqual([ROWS.slice(4, 8)]);
  });

  it("is each up to it where blank rows were left out", () => {
    expect(pagesToRead(ROWS, 4, 2, false)).toEqual([ROWS.slice(0, 4), ROWS.slice(4, 8), ROWS.slice(8)]);
  });

  it.each(SIZES)("holds each row once, in pages of %i", (size) => {
    const last = Math.ceil(ROWS.length / size) - 1;
    expect(pagesToRead(ROWS, size, last, false).flat()).toEqual(ROWS);
  });
});

describe("the place of a page in the result", () => {
  const placed = (page: number, size: number, isDense = true, written = 8) =>
    placeInResult(ROWS, pagesToRead(ROWS, size, page, isDense), { page, size, isDense, written });

  it.each(SIZES)("follows the page before it without a gap, in pages of %i", (size) => {
    const pages = Array.from({ length: Math.ceil(ROWS.length / size) }, (_, page) => placed(page, size));
    pages.reduce((before, page) => {
      expect(page.before).toBe(before);
      return before + page.count;
    }, 0);
    expect(pages.reduce((sum, page) => sum + page.count, 0)).toBe(8);
  });

  it.each(SIZES)("is the same whether the pages before it were read or not, in pages of %i", (size) => {
    for (let page = 0; page * size < ROWS.length; page++) {
      const [one, other] = [placed(page, size, true), placed(page, size, false)];
      expect([other.before, other.count, other.shown]).toEqual([one.before, one.count, one.shown]);
    }
  });

  it("counts only what is left of the rows before it when blank ones were left out", () => {
    const filled = [[data(2), data(4)], [data(6)]];
    const place = placeInResult(ROWS, filled, { page: 1, size: 4, isDense: false, written: 3 });
    expect(place).toMatchObject({ before: 2, count: 1, isMatched: true, shown: [data(6)] });
  });

  it("does not match when the last page ends before or after the result", () => {
    expect(placed(1, 5, false, 8).isMatched).toBe(true);
    expect(placed(1, 5, false, 9).isMatched).toBe(false);
    expect(placed(1, 5, false, 7).isMatched).toBe(false);
  });

  it("does not match when a page has more rows than the result", () => {
    expect(placed(0, 5, false, 3)).toMatchObject({ isMatched: false, count: 3 });
  });

  it("is empty beyond the end", () => {
    expect(placed(5, 4)).toMatchObject({ shown: [], count: 0 });
  });
});
