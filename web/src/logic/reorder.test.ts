import { describe, expect, it } from "vitest";
import { reordered, type Move } from "./reorder";

const rows = (names: string): Map<number, { run_id: string; effective_priority: number }> =>
  new Map([...names].map((name, index) => [index, { run_id: name, effective_priority: 50 }]));
const before = (runId: string, other: string): Move => ({ runId, place: { before: other }, needsPriority: null });
const after = (runId: string, other: string): Move => ({ runId, place: { after: other }, needsPriority: null });
const order = (names: string, ...moves: Move[]): string =>
  [...reordered(rows(names), moves)]
    .sort(([one], [two]) => one - two)
    .map(([, row]) => row.run_id)
    .join("");

describe("the queue while moves are on their way", () => {
  it("shows each move at once", () => {
    expect(order("abcde", before("e", "d"), before("e", "c"))).toBe("abecd");
    expect(order("abcde", after("a", "c"))).toBe("bcade");
    expect(order("abcde", before("a", "c"))).toBe("bacde");
    expect(order("abcde", after("e", "b"))).toBe("abecd");
  });
  it("shows the same when the server has made some of them", () => {
    const moves = [before("e", "d"), before("e", "c"), before("e", "b"), before("a", "d")];
    for (const names of ["abcde", "abced", "abecd", "aebcd", "ebcad"]) expect(order(names, ...moves)).toBe("ebcad");
  });
  it("leaves the rows alone where one of the two is not known", () => {
    expect(order("abc", before("x", "a"), after("a", "y"))).toBe("abc");
  });
});
