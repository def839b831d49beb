import { describe, expect, it } from "vitest";
import type { Issue } from "~/api/artifact";
import type { IssueGroup } from "~/api/types";
import { chosenCount, csvLine, facetCounts, fieldWords, issueRuleWords, sorted } from "./issues";

const group = (rule: string, field: string | null, count: number, severity = "error"): IssueGroup => ({
  sheet: "Members",
  rule,
  field,
  severity,
  count,
});
const issue = (cell: string | null, facts: Partial<Issue> = {}): Issue => ({
  sheet: "Members",
  cell,
  field: "email",
  rule: "pattern",
  severity: "error",
  message: "is wrong",
  ...facts,
});

describe("rules and fields", () => {
  it("are named in plain words", () => {
    const words = ["type.date", "type.integer", "pattern", "col.member_id.validate", "col.label.transform"];
    expect(words.map(issueRuleWords)).toEqual([
      "Date",
      "Whole number",
      "Pattern",
      "Rule of Member ID",
      "Transform of Label",
    ]);
    expect(fieldWords("joined_on")).toBe("Joined on");
    expect(fieldWords("___")).toBe("___");
  });
});

describe("facets", () => {
  const groups = [
    group("type.date", "joined_on", 10),
    group("pattern", "email", 7),
    group("pattern", "phone", 3, "info"),
  ];

  it("count every issue, the most first", () => {
    expect(facetCounts(groups, "rule", {})).toEqual([
      ["type.date", 10],
      ["pattern", 10],
    ]);
    expect(facetCounts(groups, "severity", {})).toEqual([
      ["error", 17],
      ["info", 3],
    ]);
  });

  it("count what the choice of another facet leaves", () => {
    expect(facetCounts(groups, "field", { rule: "pattern" })).toEqual([
      ["email", 7],
      ["phone", 3],
      ["joined_on", 0],
    ]);
    expect(facetCounts(groups, "rule", { rule: "pattern" })).toHaveLength(2);
    expect(chosenCount(groups, { rule: "pattern", severity: "error" })).toBe(7);
  });
});

describe("the order", () => {
  const issues = [issue("C10"), issue("C9", { severity: "info" }), issue("B10", { field: "age" }), issue(null)];
  const cells = (found: Issue[]): (string | null)[] => found.map((one) => one.cell);

  it("is by row and column, by severity, or by field", () => {
    expect(cells(sorted(issues, "cell"))).toEqual([null, "C9", "B10", "C10"]);
    expect(cells(sorted(issues, "severity"))).toEqual(["C10", "B10", null, "C9"]);
    expect(cells(sorted(issues, "field"))).toEqual(["B10", null, "C9", "C10"]);
    expect(sorted(issues, "found")).toBe(issues);
  });
});

describe("the table for other programs", () => {
  it("quotes what needs it and holds no formula", () => {
    expect(csvLine(issue("C3", { message: 'not "a", b', sheet: "=cmd()" }))).toBe(
      `error,'=cmd(),C3,email,"not ""a"", b",pattern\r\n`,
    );
    expect(csvLine(issue(null, { field: null }))).toBe("error,Members,,,is wrong,pattern\r\n");
  });
});
