import { describe, expect, it } from "vitest";
import type { InferredField } from "~/api/types";
import { choicesOf, configurationName, fieldRows, filledWords, labelProblem, nameProblem } from "./inferredFields";

function inferred(name: string, part: Partial<InferredField> = {}): InferredField {
  return {
    name,
    label: name,
    type: null,
    kind: null,
    day_first: null,
    required: false,
    unique: false,
    aliases: [],
    value_count: 4,
    filled_count: 3,
    different_count: 2,
    samples: [],
    ...part,
  };
}

describe("fields that are chosen", () => {
  it("go to the server in their order, without those left out", () => {
    const rows = fieldRows([inferred("a"), inferred("b", { type: "date", day_first: true }), inferred("c")]);
    const kept = [{ ...rows[0], name: " id ", type: "text" }, rows[1], { ...rows[2], isChosen: false }] as typeof rows;
    expect(choicesOf(kept)).toEqual([
      { inferred: "a", name: "id", label: "a", type: "text", required: false, unique: false },
      { inferred: "b", name: "b", label: "b", type: "date", day_first: true, required: false, unique: false },
    ]);
  });

  it("have an order of day and month only while they are dates", () => {
    const rows = fieldRows([inferred("b", { type: "date", day_first: true })]);
    expect(choicesOf(rows.map((row) => ({ ...row, type: "" })))).toEqual([
      { inferred: "b", name: "b", label: "b", type: null, required: false, unique: false },
    ]);
  });
});

describe("names and labels", () => {
  const rows = fieldRows([inferred("a"), inferred("b"), inferred("c")]);
  const [a, b, c] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]];

  it("are names of fields, in any script", () => {
    expect(["客户", "größe_2", "x"].map((name) => nameProblem({ ...a, name }, rows))).toEqual([null, null, null]);
    for (const name of ["", "Name", "2a", "_a", "a b"]) expect(nameProblem({ ...a, name }, rows)).toContain("letters");
  });

  it("are different, but for fields that are left out", () => {
    const twice = { ...b, name: "a" };
    expect(nameProblem(twice, [a, twice, c])).toContain("Another field");
    expect(nameProblem(twice, [{ ...a, isChosen: false }, twice, c])).toBeNull();
  });

  it("may be empty where the field is left out", () => {
    expect(labelProblem({ ...a, label: " " })).toContain("label");
    expect(labelProblem({ ...a, label: " ", isChosen: false })).toBeNull();
  });
});

it("says how full a column is", () => {
  expect(filledWords(inferred("a"))).toBe("3 of 4 cells filled, 2 different");
  expect(filledWords(inferred("a", { filled_count: 4, different_count: 4 }))).toBe("all 4 cells filled, all different");
  expect(filledWords(inferred("a", { filled_count: 0, different_count: 0 }))).toBe("no values");
});

it("names a configuration after its example", () => {
  expect(configurationName("members_october.xlsx")).toBe("Members october");
  expect(configurationName("v1.2 list")).toBe("V1.2 list");
});
