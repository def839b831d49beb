import { describe, expect, it } from "vitest";
import { filled, roundTop } from "./slices";

const slice = { succeeded_count: 3, failed_count: 1, cancelled_count: 0, rejected_count: 0, utilisation: 0.5 };
const now = new Date("2026-05-02T12:20:00Z");

describe("slices", () => {
  it("has a place for every hour of a day, and what is known in its own", () => {
    const made = filled("2026-05-01T12:20:00Z", [{ ...slice, at: "2026-05-02T11:00:00Z" }], now);
    expect(made).toHaveLength(25);
    expect(made.map((one) => one.succeeded_count).filter(Boolean)).toEqual([3]);
    expect(made.at(-2)).toMatchObject({ succeeded_count: 3, utilisation: 0.5 });
    expect(made.at(-1)).toMatchObject({ succeeded_count: 0, utilisation: null });
  });

  it("has a place for every day of a week", () => {
    const made = filled("2026-04-25T12:20:00Z", [{ ...slice, at: "2026-04-27T00:00:00Z" }], now);
    expect(made.map((one) => one.succeeded_count)).toEqual([0, 0, 3, 0, 0, 0, 0, 0]);
  });

  it.each([
    [0, 1],
    [3, 4],
    [44, 50],
    [100, 100],
    [801, 1000],
  ])("draws %i on a scale to %i", (most, top) => {
    expect(roundTop(most)).toBe(top);
  });
});
