import { describe, expect, it } from "vitest";
import type { CellValue } from "~/api/types";
import { fitsType, lookOf, lookWords } from "./valueKinds";

const text = (value: string): CellValue => ({ type: "text", value });
const words = (...values: string[]): string => lookWords(lookOf(values.map(text)));

describe("what values look like", () => {
  it.each([
    [["a@x.org", "b@y.de", "soon"], "2 of 3 look like e-mail addresses"],
    [["31.12.2024", "2024-05-01", "3 March 2024"], "3 of 3 look like dates"],
    [["1,200.50", "-3", "12 %"], "3 of 3 look like numbers"],
    [["www.example.org", "https://x.org/a"], "2 of 2 look like web addresses"],
    [["Ann", "Bob"], "2 different texts"],
    [["left", "left", "active"], "2 different texts in 3 cells"],
    [["  ", ""], "no values"],
  ])("%s", (values, expected) => {
    expect(words(...values)).toBe(expected);
  });

  it("counts what cells are, where the document says so", () => {
    const cells: (CellValue | null)[] = [{ type: "datetime", value: "2024-01-01T00:00:00" }, null, text("2024-01-02")];
    expect(lookWords(lookOf(cells))).toBe("2 of 2 look like dates");
  });

  it("fits a type of field when most values do", () => {
    const dates = lookOf([text("2024-01-01"), text("2024-01-02"), text("soon")]);
    expect([fitsType(dates, "date"), fitsType(dates, "number"), fitsType(dates, null)]).toEqual([true, false, false]);
    expect(fitsType(lookOf([text("2024-01-01"), text("soon")]), "date")).toBe(false);
  });
});
