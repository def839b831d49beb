import { describe, expect, it } from "vitest";
import { doAll, ticked } from "./selection";

const ids = ["a", "b", "c", "d", "e"];
const after = (chosen: string[], last: string | null, id: string): string[] =>
  [...ticked(new Set(chosen), ids, last, id)].sort();

describe("ticked rows", () => {
  it("become more and fewer by a click", () => {
    expect(after([], null, "b")).toEqual(["b"]);
    expect(after(["b", "c"], null, "b")).toEqual(["c"]);
  });
  it("reach from the last one clicked to this one with Shift, both ways", () => {
    expect(after(["b"], "b", "d")).toEqual(["b", "c", "d"]);
    expect(after(["d"], "d", "b")).toEqual(["b", "c", "d"]);
    expect(after(["b", "c", "d"], "b", "d")).toEqual([]);
  });
  it("are only the one clicked where the last one is gone", () => {
    expect(after(["x"], "x", "d")).toEqual(["d", "x"]);
  });
});

describe("the same for many", () => {
  it("continues after one that fails, and counts", async () => {
    const seen: number[] = [];
    const refuse = (id: string): Promise<string> => (id === "c" ? Promise.reject(new Error(id)) : Promise.resolve(id));
    const outcome = await doAll(ids, refuse, (done) => seen.push(done));
    expect(outcome).toEqual({ done: 4, errors: [new Error("c")] });
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });
});
