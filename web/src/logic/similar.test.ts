import { describe, expect, it } from "vitest";
import { clusters, distance, fingerprint, nearestChoice } from "./similar";

it("sees through case, accents, punctuation and the order of words", () => {
  expect(fingerprint(" Müller,  Jörg ")).toBe(fingerprint("jorg MULLER"));
  expect(fingerprint("Straße")).toBe(fingerprint("STRASSE"));
  expect(fingerprint("São Paulo")).not.toBe(fingerprint("San Paulo"));
  expect(fingerprint("—")).toBe("");
});

it.each([
  ["berlin", "berlin", 0],
  ["berlin", "brelin", 1],
  ["berlin", "berln", 1],
  ["kitten", "sitting", 3],
  ["a", "abcdef", 4],
])("%s and %s differ by %i letters", (one, other, far) => {
  expect(distance(one, other, 3)).toBe(far);
  expect(distance(other, one, 3)).toBe(far);
});

describe("the choice that is meant", () => {
  const choices = ["Germany", "Austria", "Australia", "Norway"];
  it.each([
    ["germany", "Germany"],
    ["Gremany", "Germany"],
    [" NORWAY.", "Norway"],
    ["Nor", "Norway"],
    ["Austr", null],
    ["Peru", null],
    ["?", null],
  ])("%s is %s", (value, choice) => expect(nearestChoice(value, choices)).toBe(choice));

  it("is none when two are as near", () => {
    expect(nearestChoice("Marta", ["Maria", "Marla"])).toBeNull();
    expect(nearestChoice("a", ["A", "a."])).toBeNull();
  });

  it("never crosses numbers: each digit may matter", () => {
    expect(nearestChoice("Level 12", ["Level 1", "Level 2"])).toBeNull();
  });
});

describe("values that look alike", () => {
  const counted = (values: Record<string, number>) =>
    clusters(Object.entries(values).map(([value, count]) => ({ value, count }))).map((found) =>
      found.map((one) => one.value),
    );

  it("are together, the most frequent first, with the largest group on top", () => {
    expect(counted({ Berlin: 40, "berlin ": 3, Berlni: 1, Hamburg: 2, HAMBURG: 9, Bonn: 5 })).toEqual([
      ["Berlin", "berlin ", "Berlni"],
      ["HAMBURG", "Hamburg"],
    ]);
  });

  it("are never short words or codes of which a letter differs", () => {
    expect(counted({ ON: 4, OM: 4, "A-1001": 2, "A-1002": 2, Ann: 1, Anna: 1 })).toEqual([]);
  });

  it("are found among thousands of values without comparing all with all", () => {
    const many = Array.from({ length: 5000 }, (_, n) => ({ value: `value ${n}`, count: 1 }));
    expect(clusters([...many, { value: "Same", count: 9 }, { value: "same", count: 8 }])).toHaveLength(1);
  });
});
