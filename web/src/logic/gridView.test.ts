import { expect, it } from "vitest";
import { AS_IT_IS, filteredBy, isAsItIs, sortedBy, viewOf, viewQuery, wordsOf, type GridView } from "./gridView";

const VIEW: GridView = {
  sort: { column: 28, isDescending: true },
  conditions: [
    { column: 1, isEqual: false, text: "a=b~c" },
    { column: 3, isEqual: true, text: "" },
  ],
  only: "changes",
};

it("is the same after it was in an address", () => {
  expect(wordsOf(VIEW)).toEqual({ sort: "-AB", filter: "A~a=b~c\nC=", only: "changes" });
  expect(viewOf(wordsOf(VIEW))).toEqual(VIEW);
  expect(viewOf(wordsOf(AS_IT_IS))).toEqual(AS_IT_IS);
});

it("ignores words of an address that mean nothing", () => {
  expect(viewOf({ sort: "c", filter: "x\nAAAA~x\nB?y", only: "nothing" })).toEqual(AS_IT_IS);
});

it("is asked for by columns and texts, and not at all where rows are as they are", () => {
  expect(viewQuery(VIEW)).toEqual({
    sort: "AB",
    descending: true,
    contains: ["A:a=b~c"],
    equals: ["C:"],
    only: "changes",
  });
  expect(isAsItIs(AS_IT_IS)).toBe(true);
  expect(isAsItIs(sortedBy(AS_IT_IS, 2, false))).toBe(false);
});

it("has one condition for each column, and none for a text that everything contains", () => {
  const first = filteredBy(AS_IT_IS, { column: 2, isEqual: false, text: " x " });
  expect(first.conditions).toEqual([{ column: 2, isEqual: false, text: "x" }]);
  const second = filteredBy(first, { column: 2, isEqual: true, text: "" });
  expect(second.conditions).toEqual([{ column: 2, isEqual: true, text: "" }]);
  expect(filteredBy(second, { column: 2, isEqual: false, text: " " })).toEqual(AS_IT_IS);
});
