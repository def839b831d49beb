import { describe, expect, it } from "vitest";
import { Problem } from "~/api/client";
import { Moves, type Server, type Wish } from "./moves";

/** An order that others change too, and that refuses a move wished on an older one, as the server does. */
class Order implements Server {
  version_ = 1;
  priorities: string[] = [];
  constructor(public runs: string) {}
  prioritise = (runId: string): Promise<void> => {
    this.priorities.push(runId);
    this.version_++;
    return Promise.resolve();
  };
  move: Server["move"] = (runId, place, version) => {
    if (version !== this.version_)
      return Promise.reject(new Problem(409, "order_changed", "The order changed", "Look again", null, null));
    const rest = this.runs.replace(runId, "");
    const at = "before" in place ? rest.indexOf(place.before) : rest.indexOf(place.after) + 1;
    this.runs = rest.slice(0, at) + runId + rest.slice(at);
    return Promise.resolve(++this.version_);
  };
  version = (): Promise<number> => Promise.resolve(this.version_);
  placeOf = (runId: string): Promise<number | null> =>
    Promise.resolve(this.runs.includes(runId) ? this.runs.indexOf(runId) + 1 : null);
}

const up = (runId: string, other: string): Wish => ({
  runId,
  place: { before: other },
  needsPriority: null,
  version: 1,
  distance: 1,
});

describe("moves in the queue", () => {
  it("are all made when they are wished on one look at the order", async () => {
    const order = new Order("abcde");
    const moves = new Moves(order);
    await Promise.all(["d", "c", "b", "a"].map((other) => moves.carryOut(up("e", other))));
    expect(order.runs).toBe("eabcd");
  });
  it("are made though the order changed elsewhere", async () => {
    const order = new Order("abcde");
    order.version_ = 7;
    await new Moves(order).carryOut(up("e", "d"));
    expect(order.runs).toBe("abced");
  });
  it("are left to the person when the two runs were moved meanwhile", async () => {
    const order = new Order("abecd");
    order.version_ = 7;
    await expect(new Moves(order).carryOut(up("e", "d"))).rejects.toThrow("Look again");
    expect(order.runs).toBe("abecd");
  });
  it("go on after one that was refused", async () => {
    const order = new Order("abecd");
    order.version_ = 7;
    const moves = new Moves(order);
    const refused = moves.carryOut(up("e", "d"));
    await moves.carryOut(up("c", "e"));
    await expect(refused).rejects.toThrow();
    expect(order.runs).toBe("abced");
  });
  it("give the priority that the place needs first", async () => {
    const order = new Order("abc");
    await new Moves(order).carryOut({ ...up("c", "a"), needsPriority: 10, distance: 2 });
    expect([order.runs, order.priorities]).toEqual(["cab", ["c"]]);
  });
});
