import { describe, expect, it } from "vitest";
import type { Artifact, ArtifactColumn, ArtifactSheet, ArtifactTable, Issue } from "~/api/artifact";
import type { QueuedRun } from "~/api/types";
import {
  filledRows,
  issuesByField,
  outputColumns,
  pairRows,
  sampleRange,
  samplesOf,
  tableRows,
  worstOf,
} from "./changes";
import {
  barToPass,
  columnAt,
  columnPlace,
  columnVerdict,
  reasonsWords,
  hiddenSheets,
  hiddenWords,
  isReshaped,
  issuesByCell,
  issuesOf,
  leftOutCount,
  leftOutWords,
  meaningOf,
  ownRule,
  reshapedWords,
  rowsWords,
  ruleWords,
  scoreWords,
  sheetState,
  tablesOf,
  unmappedHeaders,
  unmappedWords,
  wholeOf,
} from "./explain";
import { moveOf } from "./reorder";

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
  reason: target ? "best" : "no_candidate",
  lost_to: null,
  confidence: null,
  suggestions: [],
  learned_from: null,
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
  is_complete: true,
  file: "normalized.xlsx",
  range: "B3:D8",
  confidence: 0.9,
  header: { rows: [3], score: 5, margin: 1, confidence: 0.9, contributions: [], runner_up: null },
  title_rows: [1],
  note_rows: [10],
  totals_rows: [8],
  group_rows: [],
  groups: [],
  totals: [],
  repeated_header_rows: [],
  hidden: { rows: 0, columns: [] },
  columns: [column("B", "ID", "member_id"), column("C", "Mail", "email"), column("D", "Note", null)],
  transform: { member_id: { changed: 1, rules: { "col.member_id.transform": 1 } }, email: { changed: 0, rules: {} } },
  reshaped: { dropped: {}, added: {}, totals: { checked: 0, wrong: 0 } },
  issues: [],
  issue_counts: { total: 0, info: 0, warning: 0, error: 0, cells: 0, whole: 0, fields: {}, rules: {} },
  rows: { read: 5, written: 4, skipped: 1 },
  ...part,
});

const counts = { total: 0, info: 0, warning: 0, error: 0, cells: 0, whole: 0, fields: {}, rules: {} };

const sheet = (part: Partial<ArtifactSheet> = {}): ArtifactSheet => ({
  name: "Members",
  visibility: "visible",
  skipped: null,
  is_complete: true,
  formulas_without_value: 0,
  issues: [],
  issue_counts: counts,
  tables: [],
  ...part,
});

const artifact = (one: ArtifactTable): Artifact => ({
  version: 1,
  run: { id: null, status: "succeeded", failure: null },
  verdict: null,
  engine: { name: "ade-engine", version: "0" },
  configuration: null,
  input: { name: "x.xlsx" },
  outputs: [],
  sheets: [sheet({ tables: [one] })],
  summary: {
    sheets: { total: 1, read: 1, skipped: 0, hidden: 0, without_table: 0 },
    tables: 1,
    columns: { total: 3, mapped: one.columns.filter((found) => found.target).length, unmapped: 0 },
    rows: one.rows,
    formulas_without_value: 0,
    values_changed: 1,
    hidden: { rows: 0, columns: 0 },
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

describe("a list of rows", () => {
  const from = (first: number, last: number, step = 1): number[] =>
    Array.from({ length: (last - first) / step + 1 }, (_, index) => first + index * step);
  it.each([
    [[], "no row"],
    [[4], "row 4"],
    [[1, 2], "rows 1 and 2"],
    [[...from(5, 9), 14, ...from(17, 30_012)], "rows 5-9, 14 and 17-30012"],
    [from(2, 60_000, 2), "rows 2, 4, 6, 8, 10, 12, 14, 16, 18, 20 and 29,990 more"],
  ])("is short, however many there are (%#)", (rows, words) => {
    expect(rowsWords(rows)).toBe(words);
  });
});

describe("how far a sheet was read", () => {
  it.each([
    [sheet(), "no table was found"],
    [sheet({ tables: [table()] }), null],
    [sheet({ is_complete: false }), "the run failed here, before a table was found"],
    [sheet({ is_complete: false, tables: [table()] }), "the run failed here, after the last table above"],
    [sheet({ is_complete: false, tables: [table({ is_complete: false })] }), null],
    [sheet({ skipped: "failure" }), "not read, because the run failed before it"],
  ])("is reported where its tables do not show it (%#)", (read, state) => {
    expect(sheetState(read)).toBe(state);
  });
});

describe("why a column is what it is", () => {
  it("says what it had to reach", () => {
    expect(barToPass(column("A", "ID", "id", { score: 1.525, margin: 1.025 }))).toBeCloseTo(0.5);
  });
  it("says why it is not mapped", () => {
    const rival = { field: "email", score: 0.4 };
    const low: Partial<ArtifactColumn> = { reason: "below_threshold", score: 0.4, margin: -0.1, runner_up: rival };
    expect(columnVerdict(column("A", "x", null, low))).toBe("Not enough evidence for email: 0.40 of 0.50.");
    expect(columnVerdict(column("A", "x", null))).toBe("No evidence for any field.");
    expect(columnVerdict(column("A", "x", null, { reason: "lost", runner_up: rival, lost_to: "C" }))).toContain(
      "column C fits better",
    );
  });
  it("says what it scored and what it needed", () => {
    const low: Partial<ArtifactColumn> = { reason: "below_threshold", score: 0.3, margin: -0.2 };
    expect(scoreWords(column("A", "x", null, low))).toBe("0.30 of 0.50 needed");
    expect(scoreWords(column("A", "x", "email", { score: 1.44, margin: 0.94 }))).toBe("1.44 of 0.50 needed");
    expect(scoreWords(column("A", "x", null))).toBe("nothing fits");
  });
  it("suggests fields where it is not certain", () => {
    const suggestions = [
      { field: "email", confidence: 0.64, contributions: [] },
      { field: "phone", confidence: 0.31, contributions: [] },
    ];
    const unsure = column("A", "x", null, { reason: "unsure", score: 0.64, margin: -0.3, suggestions });
    expect(columnVerdict(unsure)).toContain("It may be email (64 %) or phone (31 %)");
    expect(scoreWords(unsure)).toBe("64 % likely");
  });
  it("tells the evidence for a suggestion and against it, the strongest first", () => {
    const contributions = [
      { rule: "name.base", delta: 0.02 },
      { rule: "name.words", delta: 0.2 },
      { rule: "profile.kinds", delta: 0.3 },
      { rule: "table.rivals", delta: -0.1 },
    ];
    expect(reasonsWords(contributions)).toBe(
      "Evidence for it: its values look like the example’s; the words of the two names fit. " +
        "Against it: something else is nearly as likely.",
    );
    expect(reasonsWords([])).toBe("");
  });
  it("names the document that a mapping was learned from", () => {
    const part = { reason: "likely", confidence: 0.987, learned_from: "march.xlsx" } as const;
    expect(columnVerdict(column("A", "x", "email", part))).toContain("Learned from march.xlsx.");
  });
  it("says how likely a guess is", () => {
    expect(columnVerdict(column("A", "x", "email", { reason: "likely", confidence: 0.987 }))).toBe(
      "99 % likely. No other field came close.",
    );
  });
  it("calls fields by their labels", () => {
    const rival = { field: "email", score: 0.4 };
    const label = (field: string): string => field.toUpperCase();
    expect(columnVerdict(column("A", "x", "id", { runner_up: rival }), label)).toContain("EMAIL");
    expect(ruleWords("col.email.pattern", "column", label)).toBe("Your rule detect_pattern of EMAIL");
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

describe("reshaped tables", () => {
  const reshaped = {
    dropped: { "drop.state": 2, duplicates: 1, "hook.keep": 3 },
    added: { unpivot: 1200 },
    totals: { checked: 4, wrong: 1 },
  };
  it("are listed rule by rule", () => {
    expect(reshapedWords(table({ reshaped }))).toEqual([
      "2 rows left out: state is one of the values to drop.",
      "1 row left out: another row has the same key.",
      "3 rows left out: a hook decided it.",
      "1,200 rows added: columns became rows.",
      "4 totals compared with the rows, 1 wrong.",
    ]);
  });
  it("are not laid beside the document row by row", () => {
    expect([isReshaped(table({ reshaped })), isReshaped(table({}))]).toEqual([true, false]);
  });
});

describe("before and after", () => {
  const text = (value: string) => ({ type: "text" as const, value });
  const row = (number: number, ...cells: ({ type: "text" | "date"; value: string } | null)[]) => ({
    row: number,
    is_hidden: false,
    cells,
  });
  it("takes the data rows, and says what the rows around and between them are", () => {
    const rows = tableRows(table({ group_rows: [5] }));
    expect(rows.filter(({ part }) => part === null).map((one) => one.row)).toEqual([4, 6, 7]);
    expect(rows.filter(({ part }) => part !== null).map((one) => [one.row, one.part])).toEqual([
      [1, "title"],
      [5, "group"],
      [8, "totals"],
      [10, "note"],
    ]);
  });
  it("leaves out blank rows as the run does", () => {
    const rows = tableRows(table({ title_rows: [], totals_rows: [], note_rows: [] }));
    const source = [row(4, text("a")), row(5, text(" "), null), row(7, null, text("b"))];
    expect(filledRows(rows, source).map((one) => one.row)).toEqual([4, 7]);
  });
  it("pairs cells by field and by row", () => {
    const columns = outputColumns(["Member id", "email", "Note"], table(), null);
    expect(columns.map((one) => one.source)).toEqual([2, 3, 4]);
    const source = [row(4, text("mb1"), text("a@b"), null)];
    const output = [row(2, text("MB1"), text("a@b"), null)];
    const [paired] = pairRows([4], source, output, columns, 2, 2);
    expect(paired?.isChanged).toBe(true);
    expect(paired?.cells.map((cell) => cell.isChanged)).toEqual([true, false, false]);
  });
  it("tells unmapped columns of one header apart", () => {
    const twins = [column("B", "ID", "member_id"), column("C", "Note", null), column("D", "Note", null)];
    const columns = outputColumns(["Member id", "Note", "Note (2)"], table({ columns: twins }), null);
    expect(columns.map((one) => [one.field, one.source])).toEqual([
      ["member_id", 2],
      [null, 3],
      [null, 4],
    ]);
  });
  it("shows a text that became a date, though it reads the same", () => {
    const dated = table({ transform: { member_id: { changed: 1, rules: { "type.date": 1 } } } });
    const date = { type: "date" as const, value: "2024-01-05" };
    const pair = (one: ArtifactTable) =>
      pairRows([4], [row(4, text("2024-01-05"))], [row(2, date)], outputColumns(["Member id"], one, null), 2, 2)[0];
    expect(pair(dated)?.cells[0]).toMatchObject({ isChanged: true, retyped: "text → date" });
    // A csv file has no types, so that nothing can be said about them.
    expect(pair({ ...dated, file: "members.csv" })?.isChanged).toBe(false);
  });
  it("knows nothing of changes without the rows of the document", () => {
    const columns = outputColumns(["Member id"], table(), null);
    expect(pairRows([4], null, [row(2, text("MB1"))], columns, 2, 2)[0]?.isChanged).toBe(false);
  });
  it("has the issues of each field in its row", () => {
    const found = issuesByField([issue("C4"), { ...issue("C4"), severity: "warning" }, issue(null)], "Members");
    const columns = outputColumns(["Member id", "email"], table(), null);
    const [paired] = pairRows([4], [], [], columns, 2, 2, found);
    expect(paired?.cells.map((cell) => cell.issues.length)).toEqual([0, 2]);
    expect(worstOf(paired?.cells[1]?.issues ?? [])).toBe("error");
    expect(worstOf([])).toBeNull();
  });
  it("names what was left out, titles and notes too", () => {
    expect(leftOutWords(table({ group_rows: [5] }))).toBe(
      "title in row 1, note in row 10, totals in row 8, group heading in row 5",
    );
    expect(leftOutCount(artifact(table()))).toBe(3);
  });
});

describe("sheets of one kind", () => {
  const months = artifact(table());
  months.sheets = ["January", "February"].map((name) => sheet({ name, tables: [table()] }));
  const tables = tablesOf(months);
  it("have columns with addresses of their own", () => {
    expect(tables.map((placed) => columnPlace(placed, "D"))).toEqual(["January!B3.D", "February!B3.D"]);
    expect(columnAt(tables, "February!B3.D")).toBe("February!B3.D");
    expect(columnAt(tables, "March!B3.D")).toBeNull();
  });
  it("are found by an address without a sheet, the first of them", () => {
    expect(columnAt(tables, "B3.D")).toBe("January!B3.D");
  });
  it("are named with each header that is not mapped", () => {
    const columns = [
      { place: "January!B3.D", table: "January" },
      { place: "February!B3.D", table: "February" },
    ];
    expect(unmappedHeaders(months)).toEqual([{ header: "Note", columns }]);
  });
  it("are named with the range where a sheet has several tables, and columns without a header by their letter", () => {
    const nameless = table({ range: "H3:H8", columns: [column("H", "", null)] });
    const two = artifact(table());
    two.sheets = [sheet({ tables: [table(), nameless] })];
    expect(unmappedHeaders(two).map((one) => [one.header, one.columns[0]?.table])).toEqual([
      ["Note", "Members B3:D8"],
      ["column H", "Members H3:H8"],
    ]);
  });
});

describe("samples of a column", () => {
  it("are its first different values, from data rows", () => {
    const one = table({ group_rows: [4] });
    expect(sampleRange(one)).toBe("B5:D8");
    const row = (number: number, value: string) => ({
      row: number,
      is_hidden: false,
      cells: [null, { type: "text" as const, value }],
    });
    const rows = [row(5, "a"), row(6, "a"), row(7, "b"), row(8, "total")];
    expect(samplesOf(rows, one, "C")).toEqual(["a", "b"]);
    expect(samplesOf(rows, one, "B")).toEqual([]);
  });
});

describe("whole sheets", () => {
  const noTable = { ...issue(null, "structure.no_table"), sheet: "Notes", message: "no table found: text only" };
  const notes = sheet({ name: "Notes", issues: [noTable], issue_counts: { ...counts, rules: { [noTable.rule]: 1 } } });
  const lists = sheet({ name: "Lists", visibility: "hidden", skipped: "hidden" });
  const whole = { ...artifact(table({ issues: [issue("C4")] })) };
  whole.sheets = [...whole.sheets, notes, lists];

  it("have issues of their own, listed with those of tables", () => {
    expect(issuesOf(whole).map((one) => one.rule)).toEqual(["required", "structure.no_table"]);
    expect(wholeOf(whole, noTable)).toBe("whole sheet");
    expect(wholeOf(whole, issue(null))).toBe("whole table");
  });
  it("without a table say why", () => {
    expect(sheetState(notes)).toBe("no table found: text only");
    expect(sheetState(lists)).toBe("not read, because it is hidden");
    expect(sheetState(sheet({ skipped: "hook" }))).toBe("a hook left it out");
    expect(sheetState(sheet())).toBe("no table was found");
  });
  it("that are hidden are named", () => {
    expect(hiddenSheets(whole)).toContain("1 hidden sheet not read: Lists.");
    expect(hiddenSheets(artifact(table()))).toBeNull();
  });
  it("have columns that are kept or left out", () => {
    const one = artifact(
      table({ columns: [column("B", "ID", null), column("C", "Page", null, { reason: "ignored" })] }),
    );
    one.summary.columns.unmapped = 2;
    expect(unmappedWords(one)).toBe("1 kept as they are, 1 left out");
    one.sheets = [];
    one.summary.columns.unmapped = 0;
    expect(unmappedWords(one)).toBe("all of them");
    one.summary.columns.total = 0;
    expect(unmappedWords(one)).toBe("no table was found");
  });
  it("say how much of a table is hidden", () => {
    expect(hiddenWords({ rows: 2, columns: ["B", "D"] })).toBe("2 hidden rows and hidden columns B, D");
    expect(hiddenWords({ rows: 0, columns: [] })).toBe("");
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
});
