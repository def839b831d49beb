/** What two runs decided differently: mapping, rows and issues. */
import type { Artifact, ArtifactColumn, Issue } from "~/api/artifact";
import { issuesOf, tablesOf } from "./explain";

export interface ColumnDifference {
  place: string;
  header: string;
  before: string | null;
  after: string | null;
  scoreBefore: number | null;
  scoreAfter: number | null;
}

export interface IssueDifference {
  kind: "solved" | "new";
  issue: Issue;
}

export interface Comparison {
  columns: ColumnDifference[];
  changedColumns: ColumnDifference[];
  issues: IssueDifference[];
  rows: { before: number; after: number };
  mapped: { before: number; after: number };
  issueCount: { before: number; after: number };
  valuesChanged: { before: number; after: number };
}

export function compare(before: Artifact, after: Artifact): Comparison {
  const columns = columnDifferences(before, after);
  return {
    columns,
    changedColumns: columns.filter((column) => column.before !== column.after),
    issues: issueDifferences(issuesOf(before), issuesOf(after)),
    rows: { before: before.summary.rows.written, after: after.summary.rows.written },
    mapped: { before: before.summary.columns.mapped, after: after.summary.columns.mapped },
    issueCount: { before: before.summary.issues.total, after: after.summary.issues.total },
    valuesChanged: { before: before.summary.values_changed, after: after.summary.values_changed },
  };
}

function columnDifferences(before: Artifact, after: Artifact): ColumnDifference[] {
  const [first, second] = [placedColumns(before), placedColumns(after)];
  return [...new Set([...first.keys(), ...second.keys()])].map((place) => {
    const [one, other] = [first.get(place), second.get(place)];
    return {
      place,
      header: other?.header || one?.header || "",
      before: one?.target ?? null,
      after: other?.target ?? null,
      scoreBefore: one?.score ?? null,
      scoreAfter: other?.score ?? null,
    };
  });
}

/** Columns by sheet, table (its first row) and letter: where they are in the document, whatever they became. */
function placedColumns(artifact: Artifact): Map<string, ArtifactColumn> {
  const found = new Map<string, ArtifactColumn>();
  for (const { sheet, table } of tablesOf(artifact)) {
    const firstRow = /\d+/.exec(table.range)?.[0] ?? "";
    for (const column of table.columns) found.set(`${sheet ? `${sheet}!` : ""}${column.source}${firstRow}`, column);
  }
  return found;
}

function issueDifferences(before: Issue[], after: Issue[]): IssueDifference[] {
  const key = (issue: Issue): string => [issue.sheet, issue.cell, issue.field, issue.rule].join(" ");
  const [first, second] = [new Set(before.map(key)), new Set(after.map(key))];
  return [
    ...before.filter((issue) => !second.has(key(issue))).map((issue) => ({ kind: "solved" as const, issue })),
    ...after.filter((issue) => !first.has(key(issue))).map((issue) => ({ kind: "new" as const, issue })),
  ];
}
