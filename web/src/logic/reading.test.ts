import { expect, it } from "vitest";
import { parseCell, type Cell } from "./a1";
import { nextCell } from "./reading";

const at = (name: string): Cell => parseCell(name) ?? { row: 0, column: 0 };
const cells = ["B2", "A9", "C2", "AA2"].map(at);

it.each([
  [null, 1, "B2"],
  ["A1", 1, "B2"],
  ["B2", 1, "C2"],
  ["C2", 1, "AA2"],
  ["AA2", 1, "A9"],
  ["A9", 1, null],
  [null, -1, "A9"],
  ["A9", -1, "AA2"],
  ["B3", -1, "AA2"],
  ["B2", -1, null],
] as const)("from %s by %i is %s", (from, step, to) => {
  expect(nextCell(cells, from && at(from), step)).toEqual(to && at(to));
});

it("is none where there are no cells", () => {
  expect(nextCell([], null, 1)).toBeNull();
});
