import { describe, expect, it } from "vitest";
import type { Artifact, ArtifactColumn, ArtifactTable, Issue } from "~/api/artifact";
import { compare } from "./compare";

type Columns = [header: string, target: string | null, reason?: string][];

interface Parts {
  columns: Columns;
  issues?: Issue[];
  sheet?: string;
  headerRow?: number;
  sha256?: string;
  valuesChanged?: number;
}

const issue = (cell: string | null, field: string | null = "email"): Issue => ({
  sheet: "Members",
  cell,
  field,
  rule: "required",
  severity: "error",
  message: "is required",
});

/** A table at column B, as far as a comparison reads it. */
function artifact({ columns, issues = [], sheet = "Members", headerRow = 3, ...facts }: Parts): Artifact {
  const listed = columns.map(([header, target, reason = "best"], index) => ({
    source: String.fromCharCode(66 + index),
    header,
    target,
    score: target ? 1 : null,
    reason,
  })) as ArtifactColumn[];
  const table = { range: `B${headerRow}:D99`, header: { rows: [headerRow] }, columns: listed, issues } as ArtifactTable;
  return {
    input: { name: "x.xlsx", sha256: facts.sha256 },
    sheets: [{ name: sheet, issues: [] as Issue[], tables: [table] }],
    summary: {
      columns: { mapped: listed.filter((one) => one.target).length },
      rows: { written: 4 },
      values_changed: facts.valuesChanged ?? 0,
      issues: { total: issues.length },
    },
  } as unknown as Artifact;
}

const MEMBERS: Columns = [
  ["ID", "member_id"],
  ["Mail", "email"],
  ["Note", null],
];
const changes = (before: Parts, after: Parts) =>
  compare(artifact(before), artifact(after)).changedColumns.map((one) => [
    one.oldHeader === null ? one.header : `${one.oldHeader} → ${one.header}`,
    one.before ? one.before.target : "absent",
    one.after ? one.after.target : "absent",
  ]);

describe("columns", () => {
  it("are the same wherever the table begins", () => {
    expect(changes({ columns: MEMBERS }, { columns: MEMBERS, headerRow: 5 })).toEqual([]);
  });

  it("are the same in another order, and on a sheet of another name", () => {
    expect(changes({ columns: MEMBERS }, { columns: [...MEMBERS].reverse(), sheet: "October" })).toEqual([]);
  });

  it("differ by what they became", () => {
    const after: Columns = [
      ["ID", "member_id"],
      ["Mail", "joined_on"],
      ["NOTE", "note"],
    ];
    expect(changes({ columns: MEMBERS }, { columns: after })).toEqual([
      ["Mail", "email", "joined_on"],
      ["NOTE", null, "note"],
    ]);
  });

  it("are known by their field when they were renamed", () => {
    const after: Columns = [
      ["ID", "member_id"],
      ["Mail address", "email"],
      ["Note", null],
    ];
    expect(changes({ columns: MEMBERS }, { columns: after })).toEqual([["Mail → Mail address", "email", "email"]]);
  });

  it("can be gone or new", () => {
    const after: Columns = [
      ["ID", "member_id"],
      ["Town", null],
      ["Note", null],
    ];
    expect(changes({ columns: MEMBERS }, { columns: after })).toEqual([
      ["Town", "absent", null],
      ["Mail", "email", "absent"],
    ]);
  });

  it("keep their place in the same document when another row was taken for the header", () => {
    const after: Columns = [
      ["List", null],
      ["of", null],
      ["members", null],
    ];
    expect(changes({ columns: MEMBERS, sha256: "1" }, { columns: after, sha256: "1", headerRow: 1 })).toEqual([
      ["ID → List", "member_id", null],
      ["Mail → of", "email", null],
      ["Note → members", null, null],
    ]);
  });

  it("that were left out since are a difference", () => {
    const after: Columns = [
      ["ID", "member_id"],
      ["Mail", "email"],
      ["Note", null, "ignored"],
    ];
    expect(changes({ columns: MEMBERS }, { columns: after })).toEqual([["Note", null, null]]);
  });
});

describe("issues", () => {
  const kinds = (before: Parts, after: Parts) =>
    compare(artifact(before), artifact(after)).issues.map((one) => `${one.kind} ${one.issue.cell}`);

  it("are those of the same cell in the same document", () => {
    const before = { columns: MEMBERS, sha256: "1", issues: [issue("C4"), issue("C5"), issue(null)] };
    const after = { columns: MEMBERS, sha256: "1", issues: [issue("C5"), issue("D4"), issue(null)] };
    expect(kinds(before, after)).toEqual(["solved C4", "new D4"]);
  });

  it("are those of the same row of the table and the same field in another document", () => {
    const before = { columns: MEMBERS, issues: [issue("C4"), issue("C6", null)] };
    const after = { columns: MEMBERS, headerRow: 5, issues: [issue("D6"), issue("C8", null), issue("D7")] };
    expect(kinds(before, after)).toEqual(["new D7"]);
  });
});

describe("numbers", () => {
  const better = (before: Parts, after: Parts) => {
    const { mapped, issueCount, rows, valuesChanged } = compare(artifact(before), artifact(after));
    return [mapped.isBetter, issueCount.isBetter, rows.isBetter, valuesChanged.isBetter];
  };
  const fewer = MEMBERS.slice(0, 1);

  it("are better with more columns mapped and fewer issues", () => {
    expect(better({ columns: fewer, issues: [issue("C4")] }, { columns: MEMBERS })).toEqual([true, true, null, null]);
  });

  it("are no better with fewer issues because a column was lost", () => {
    expect(better({ columns: MEMBERS, issues: [issue("C4")] }, { columns: fewer })).toEqual([false, null, null, null]);
  });

  it("are no worse with more issues because a column was found", () => {
    expect(better({ columns: fewer }, { columns: MEMBERS, issues: [issue("C4")] })).toEqual([true, null, null, null]);
  });

  it("are no worse because a column was left out on purpose", () => {
    const after: Columns = [
      ["ID", "member_id"],
      ["Mail", null, "ignored"],
      ["Note", null],
    ];
    expect(better({ columns: MEMBERS }, { columns: after })).toEqual([null, null, null, null]);
  });

  it("of converted values are neither good nor bad", () => {
    expect(better({ columns: MEMBERS, valuesChanged: 40 }, { columns: MEMBERS })[3]).toBeNull();
    expect(better({ columns: MEMBERS }, { columns: MEMBERS, valuesChanged: 38 })[3]).toBeNull();
  });
});
