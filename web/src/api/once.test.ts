import { describe, expect, it } from "vitest";
import { Once } from "./once";

describe("an action that happens once", () => {
  it("is joined by a click while it is on its way", async () => {
    const keys: string[] = [];
    const once = new Once<string>();
    const act = (key: string): Promise<string> => Promise.resolve(key).then((sent) => (keys.push(sent), "done"));
    expect(await Promise.all([once.do("a", act), once.do("a", act)])).toEqual(["done", "done"]);
    expect(keys).toHaveLength(1);
  });
  it("sends its key again after a failure, and another one for another intent or after it was done", async () => {
    const keys: string[] = [];
    const once = new Once<string>();
    let isAway = true;
    const act = (key: string): Promise<string> => {
      keys.push(key);
      return isAway ? Promise.reject(new Error("away")) : Promise.resolve("done");
    };
    await expect(once.do("a", act)).rejects.toThrow("away");
    isAway = false;
    await once.do("a", act);
    await once.do("a", act);
    await once.do("b", act);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
  });
});
