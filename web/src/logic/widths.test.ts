import { describe, expect, it } from "vitest";
import type { CellRow } from "~/api/types";
import { spillOf, startsOf, widthsOf } from "./widths";

const row = (number: number, ...texts: (string | null)[]): CellRow =>
  ({ row: number, is_hidden: false, cells: texts.map((text) => text && { value: text, type: "text" }) }) as CellRow;

describe("a text longer than its cell", () => {
  const title = "Members of the reading circle";
  it("goes over the empty cells beside it, as far as it needs", () => {
    expect(spillOf(row(1, title, null, null, null).cells, 0, [100, 100, 100, 100])).toBe(300);
    expect(spillOf(row(1, "short", null).cells, 0, [100, 100])).toBe(100);
  });
  it("ends where something stands", () => {
    expect(spillOf(row(1, title, null, "x").cells, 0, [100, 100, 100])).toBe(200);
    expect(spillOf(row(1, title, "x").cells, 0, [100, 100])).toBe(100);
  });
});

describe("the widths of columns", () => {
  it("follow what the cells hold, between a least and a most", () => {
    const [short = 0, long = 0, endless, empty] = widthsOf(
      [row(1, "ab", "a.long.address@example.org", "x".repeat(500))],
      4,
    );
    expect(short).toBeLessThan(long);
    expect(endless).toBe(300);
    expect(empty).toBe(104);
  });
  it("are not those of a title that stands above", () => {
    const body = Array.from({ length: 20 }, (_, index) => row(index + 2, "MB100000"));
    expect(widthsOf([row(1, "Members of the reading circle, state of 1 March"), ...body], 1)).toEqual(
      widthsOf(body, 1),
    );
  });
  it("add up", () => {
    expect(startsOf([10, 20], 5)).toEqual([5, 15, 35]);
  });
});
