import { describe, expect, it } from "vitest";
import { failureTitle } from "./failures";
import { ACCEPTED, FORMAT_WORDS, SUFFIXES } from "./formats";
import { matching } from "./matchingRuns";
import { bandOf, LEVELS, NORMAL, priorityName } from "./priority";
import { queuedRun } from "~/testing/things";

describe("formats", () => {
  it("are the same in the file input and in sentences", () => {
    expect(ACCEPTED.split(",")).toEqual(SUFFIXES.map((one) => `.${one}`));
    expect(FORMAT_WORDS.split(/, | or /)).toEqual([...SUFFIXES]);
    expect(new Set(SUFFIXES).size).toBe(SUFFIXES.length);
  });

  it("read as a list", () => {
    expect(FORMAT_WORDS).toBe("xlsx, xlsm, xlsb, xls, ods, csv or tsv");
  });
});

describe("titles of failures", () => {
  it("say what happened", () => {
    expect(failureTitle({ code: "input_error" })).toBe("The document could not be read");
  });

  it("are there for a code that a newer server sends", () => {
    expect(failureTitle({ code: "something_new" as "input_error" })).toBe("The run failed");
  });
});

describe("waiting runs that match", () => {
  const runs = [
    queuedRun(1, { document_name: "Members March.xlsx", submitted_by: "Ada" }),
    queuedRun(2, { document_name: "invoices.csv", configuration_name: "Billing", submitted_by: null }),
    queuedRun(5, { document_name: "members april.xlsx", submitted_by: "Bob" }),
  ];

  it.each([
    ["members", [0, 4]],
    ["MEMBERS bob", [4]],
    ["bill", [1]],
    ["  ada  ", [0]],
    ["nobody", []],
    ["null", []],
  ])("have all the words of %j, at their places", (words, places) => {
    expect([...matching(runs, words).keys()]).toEqual(places);
  });

  it("are fewer with each word", () => {
    expect(matching(runs, "members xlsx").size).toBeLessThanOrEqual(matching(runs, "members").size);
    expect(matching(runs, "").size).toBe(runs.length);
  });
});

describe("priorities", () => {
  it("name every number from 0 to 100, and the levels plainly", () => {
    for (let number = 0; number <= 100; number++) expect(priorityName(number)).toContain(bandOf(number).name);
    for (const level of LEVELS) expect(priorityName(level.priority)).toBe(level.name);
  });

  it("put a number into the band of the level at or before it", () => {
    for (let number = LEVELS[0]?.priority ?? 0; number <= 100; number++) {
      const band = bandOf(number);
      expect(band.priority).toBeLessThanOrEqual(number);
      expect(LEVELS.some((one) => one.priority > band.priority && one.priority <= number)).toBe(false);
    }
  });

  it("have a normal one among the levels, in rising order", () => {
    expect(LEVELS.some((one) => one.priority === NORMAL)).toBe(true);
    expect(LEVELS.map((one) => one.priority)).toEqual(LEVELS.map((one) => one.priority).sort((a, b) => a - b));
  });
});
