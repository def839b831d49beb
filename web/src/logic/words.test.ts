import { describe, expect, it } from "vitest";
import { bytes, counted, signed } from "./numbers";
import { bandOf, priorityName } from "./priority";
import { duration, relativeTime, startRange } from "./time";

const now = new Date("2026-05-01T12:00:00Z");
const after = (seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString();

describe("times", () => {
  it.each([
    [-3, "just now"],
    [-42, "42 s ago"],
    [30, "in 30 s"],
    [-180, "3 minutes ago"],
    [7200, "in 2 hours"],
    [-86_400, "yesterday"],
    [-90 * 86_400, "2026-01-31"],
  ])("%i seconds from now is %s", (seconds, words) => {
    expect(relativeTime(new Date(after(seconds)), now)).toBe(words);
  });

  it.each([
    [0, "0 s"],
    [0.696, "696 ms"],
    [2.34, "2.3 s"],
    [59, "59 s"],
    [185, "3 min 5 s"],
    [3600, "1 h"],
    [90_000, "1 d 1 h"],
  ])("%f seconds take %s", (seconds, words) => {
    expect(duration(seconds)).toBe(words);
  });

  it("tells a start as the range it is", () => {
    expect(startRange({ earliest_at: after(120), latest_at: after(300) }, now)).toBe("in 2 to 5 min");
    expect(startRange({ earliest_at: after(20), latest_at: after(60) }, now)).toBe("in 20 s to 1 min");
    expect(startRange({ earliest_at: after(120), latest_at: after(120) }, now)).toBe("in about 2 min");
    expect(startRange({ earliest_at: after(-9), latest_at: after(2) }, now)).toBe("any moment");
    expect(startRange(null, now)).toBe("not known yet");
  });
});

describe("numbers", () => {
  it("counts nouns", () => {
    expect(counted(1, "issue")).toBe("1 issue");
    expect(counted(1204, "issue")).toBe("1,204 issues");
  });
  it.each([
    [512, "512 B"],
    [6210, "6.1 KB"],
    [1024 * 1024, "1.0 MB"],
    [104_857_600, "100 MB"],
  ])("%i bytes are %s", (size, words) => {
    expect(bytes(size)).toBe(words);
  });
  it("shows both signs", () => {
    expect(signed(0.525)).toBe("+0.53");
    expect(signed(-0.6)).toBe("−0.60");
  });
});

describe("priorities", () => {
  it("have names, with the number between two levels", () => {
    expect(priorityName(50)).toBe("normal");
    expect(priorityName(42)).toBe("high (42)");
    expect(priorityName(0)).toBe("urgent (0)");
  });
  it("are shown in the band of the level at or above them", () => {
    expect(bandOf(0).name).toBe("urgent");
    expect(bandOf(42).name).toBe("high");
    expect(bandOf(100).name).toBe("background");
  });
});
