import { describe, expect, it } from "vitest";
import type { Artifact, ArtifactColumn, ArtifactTable, Issue } from "~/api/artifact";
import type { QueuedRun } from "~/api/types";
import { outputColumns, pairRows } from "./changes";
import { compare } from "./compare";
import { barToPass, columnVerdict, dataRows, issuesByCell, meaningOf, ownRule, ruleWords } from "./explain";
import { moveOf, sourceOf } from "./reorder";

const column = (
  source: string,
  header: string,
  target: string | null,
  part: Partial<ArtifactColumn> = {},
): ArtifactColumn => ({
  source,
  header,
  target,
  score: target ? 1 : null,
  margin: target ? 0.5 : null,
  contributions: [],
  runner_up: null,
  reason: target ? "best" : "none",
  lost_to: null,
  ...part,
});

const issue = (cell: string | null, rule = "required"): Issue => ({
  sheet: "Members",
  cell,
  field: "email",
  rule,
  severity: "error",
  message: "is required",
});

const table = (part: Partial<ArtifactTable> = {}): ArtifactTable => ({
  output: "Members",
  range: "B3:D8",
  header: { rows: [3], score: 5, margin: 1, contributions: [], runner_up: null },
  title_rows: [1],
  note_rows: [10],
  totals_rows: [8],
  group_rows: [],
  repeated_header_rows: [],
  columns: [column("B", "ID", "member_id"), column("C", "Mail", "email"), column("D", "Note", null)],
  transform: { member_id: { changed: 1, rules: { "col.member_id.transform": 1 } }, email: { changed: 0, rules: {} } },
  issues: [],
  issue_counts: { total: 0, info: 0, warning: 0, error: 0, rules: {} },
  rows: { read: 5, written: 4, skipped: 1 },
  ...part,
});

const artifact = (one: ArtifactTable): Artifact => ({
  version: 1,
  run: { id: null, status: "succeeded", failure: null },
  engine: { name: "ade-engine", version: "0" },
  configuration: null,
  input: { name: "x.xlsx" },
  sheets: [{ name: "Members", visibility: "visible", skipped: null, tables: [one] }],
  summary: {
    sheets: 1,
    tables: 1,
    columns: { total: 3, mapped: one.columns.filter((found) => found.target).length, unmapped: 0 },
    rows: one.rows,
    values_changed: 1,
    issues: one.issue_counts,
  },
});

describe("what a cell is to a run", () => {
  it.each([
    [3, 2, "header"],
    [4, 3, "data"],
    [1, 2, "title"],
    [8, 3, "totals"],
    [10, 4, "note"],
  ])("row %i, column %i is %s", (row, place, part) => {
    expect(meaningOf([table()], { row, column: place })?.part).toBe(part);
  });
  it("is nothing outside of all tables", () => {
    expect(meaningOf([table()], { row: 4, column: 9 })).toBeNull();
    expect(meaningOf([table()], { row: 20, column: 2 })).toBeNull();
  });
  it("names the column it is in", () => {
    expect(meaningOf([table()], { row: 5, column: 3 })?.column?.target).toBe("email");
  });
  it("has its issues", () => {
    const found = issuesByCell([issue("C4"), issue("C4", "pattern"), issue(null)], "Members");
    expect(found.get("C4")).toHaveLength(2);
    expect(found.size).toBe(1);
  });
});

describe("why a column is what it is", () => {
  it("says what it had to reach", () => {
    expect(barToPass(column("A", "ID", "id", { score: 1.525, margin: 1.025 }))).toBeCloseTo(0.5);
  });
  it("says why it is not mapped", () => {
    const rival = { field: "email", score: 0.4 };
    expect(columnVerdict(column("A", "x", null, { reason: "below_threshold", runner_up: rival }))).toBe(
      "email came closest with 0.40, which is below the threshold.",
    );
    expect(columnVerdict(column("A", "x", null, { reason: "lost", runner_up: rival, lost_to: "C" }))).toContain(
      "column C is a better one",
    );
  });
  it("speaks of rules in words, and knows where one's own are", () => {
    expect(ruleWords("header.alias", "column")).toBe("The header is one of the field's names");
    expect(ruleWords("values.email", "column")).toBe("Its values look like email");
    expect(ownRule("col.member_id.pattern")).toEqual({
      field: "member_id",
      function: "detect_pattern",
      file: "columns/member_id.py",
    });
  });
});

describe("before and after", () => {
  it("takes the data rows only", () => {
    expect(dataRows(table())).toEqual([4, 5, 6, 7]);
  });
  it("pairs cells by field and by row", () => {
    const columns = outputColumns(["Member id", "email", "Note"], table(), null);
    expect(columns.map((one) => one.source)).toEqual([2, 3, 4]);
    const text = (value: string) => ({ type: "text" as const, value });
    const source = [{ row: 4, is_hidden: false, cells: [text("mb1"), text("a@b"), null] }];
    const output = [{ row: 2, is_hidden: false, cells: [text("MB1"), text("a@b"), null] }];
    const [row] = pairRows([4], source, output, columns, 2, 2);
    expect(row?.isChanged).toBe(true);
    expect(row?.cells.map((cell) => cell.isChanged)).toEqual([true, false, false]);
  });
});

describe("two runs", () => {
  it("differ in what their columns became and in their issues", () => {
    const before = artifact(table({ issues: [issue("C4"), issue("C5")] }));
    const after = artifact(
      table({
        columns: [column("B", "ID", "member_id"), column("C", "Mail", "email"), column("D", "Note", "note")],
        issues: [issue("C5"), issue("D4")],
      }),
    );
    const found = compare(before, after);
    expect(found.changedColumns).toEqual([
      expect.objectContaining({ place: "Members!D3", before: null, after: "note" }),
    ]);
    expect(found.issues.map((one) => `${one.kind} ${one.issue.cell}`)).toEqual(["solved C4", "new D4"]);
    expect(found.mapped).toEqual({ before: 2, after: 3 });
  });
});

describe("moving a run in the queue", () => {
  const item = (run_id: string, effective_priority: number, position: number) =>
    ({ run_id, effective_priority, position }) as QueuedRun;
  const items = [item("a", 10, 1), item("b", 50, 2), item("c", 50, 3)];

  const [a, b, c] = items;

  it("goes before what it is dropped on when it moves up, and after it when it moves down", () => {
    expect(moveOf(c, b, true)).toEqual({ runId: "c", place: { before: "b" }, needsPriority: null });
    expect(moveOf(b, c, false)).toEqual({ runId: "b", place: { after: "c" }, needsPriority: null });
  });
  it("needs the priority of the band it is dropped into", () => {
    expect(moveOf(c, a, true)?.needsPriority).toBe(10);
  });
  it("is nothing when it stays", () => {
    expect(moveOf(b, b, true)).toBeNull();
  });
  it("shows at once what it will look like", () => {
    const order = (moved: { from: number; to: number } | null): (string | undefined)[] =>
      [0, 1, 2].map((index) => items[sourceOf(index, moved)]?.run_id);
    expect(order(null)).toEqual(["a", "b", "c"]);
    expect(order({ from: 2, to: 0 })).toEqual(["c", "a", "b"]);
    expect(order({ from: 0, to: 1 })).toEqual(["b", "a", "c"]);
  });
});
