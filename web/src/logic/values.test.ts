import { describe, expect, it } from "vitest";
import type { ValueGroup } from "~/api/types";
import { alike, byField, decidedOf, decisionWords, isCorrectable } from "./values";

const group = (field: string, value: string | null, count: number, part: Partial<ValueGroup> = {}): ValueGroup => ({
  field,
  rule: "choices",
  severity: "error",
  message: "is wrong",
  value,
  is_cut: false,
  count,
  cells: [],
  ...part,
});

describe("values with issues", () => {
  const groups = [group("city", "Brelin", 2), group("day", "soon", 5), group("city", "Bonn", 1)];

  it("are together by field, the field with the most cells first", () => {
    expect(byField(groups).map(({ field, count, groups: own }) => [field, count, own.length])).toEqual([
      ["day", 5, 1],
      ["city", 3, 2],
    ]);
  });

  it("can be decided about when there is one and it is known whole", () => {
    expect(isCorrectable(group("a", "x", 1))).toBe(true);
    expect(isCorrectable(group("a", null, 1))).toBe(false);
    expect(isCorrectable(group("a", "x", 1, { is_cut: true }))).toBe(false);
  });

  it("look alike once, however many things are wrong with them", () => {
    const found = byField([
      group("city", "Berlin", 3),
      group("city", "Berlin", 4, { rule: "pattern" }),
      group("city", "berlin", 1),
      group("city", null, 9),
    ]);
    expect(found.flatMap(alike)).toEqual([
      [
        { value: "Berlin", count: 4 },
        { value: "berlin", count: 1 },
      ],
    ]);
  });
});

it("finds what was decided about a value of this field", () => {
  const decided = { kind: "value" as const, field: "city", value: "Brelin", new: "Berlin" };
  const pending = [{ kind: "header", header: "x" }, { ...decided, field: "town" }, decided];
  expect(decidedOf(group("city", "Brelin", 1), pending)).toBe(decided);
  expect(decidedOf(group("city", "Bonn", 1), pending)).toBeUndefined();
});

it.each([
  [{ new: "Berlin" }, "becomes “Berlin”"],
  [{ new: null }, "is made empty"],
  [{ outcome: "accept" as const }, "is right as it is"],
  [{ outcome: "drop" as const }, "its rows are left out"],
])("says what was decided: %o", (part, words) => {
  expect(decisionWords({ kind: "value", field: "a", value: "b", ...part })).toBe(words);
});
