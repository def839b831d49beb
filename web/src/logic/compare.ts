/** What two runs decided differently: mapping, rows and issues. */
import type { Artifact, ArtifactColumn, Issue } from "~/api/artifact";
import { parseCell, parseRange } from "./a1";
import { isSameDocument, matchedColumns, type Pair } from "./matching";

export interface ColumnDifference {
  /** Where the column is: in the later document, or in the earlier one when only that has it. */
  sheet: string | null;
  place: string;
  header: string;
  /** The header it had before, when it has another now. */
  oldHeader: string | null;
  before: ArtifactColumn | null;
  after: ArtifactColumn | null;
}

export interface IssueDifference {
  kind: "solved" | "new";
  issue: Issue;
}

/** Whether a number went the right way; null where neither way is better. */
export interface Figure {
  before: number;
  after: number;
  isBetter: boolean | null;
}

export interface Comparison {
  changedColumns: ColumnDifference[];
  issues: IssueDifference[];
  mapped: Figure;
  issueCount: Figure;
  rows: Figure;
  valuesChanged: Figure;
}

export function compare(before: Artifact, after: Artifact): Comparison {
  const columns = matchedColumns(before, after).map(difference);
  const figure = (count: (artifact: Artifact) => number): Figure => ({
    before: count(before),
    after: count(after),
    isBetter: null,
  });
  const mapped = figure(({ summary }) => summary.columns.mapped);
  const issues = figure(({ summary }) => summary.issues.total);
  return {
    changedColumns: columns.filter(isChange),
    issues: issueDifferences(before, after),
    mapped: { ...mapped, isBetter: isMappingBetter(mapped, columns) },
    issueCount: { ...issues, isBetter: areIssuesBetter(issues, mapped) },
    // Neither more rows nor more converted values are good or bad in themselves.
    rows: figure(({ summary }) => summary.rows.written),
    valuesChanged: figure(({ summary }) => summary.values_changed),
  };
}

function difference({ before, after, newest: { sheet, column } }: Pair): ColumnDifference {
  const old = before && after && before.words !== after.words ? before : null;
  return {
    sheet,
    place: column.source,
    header: column.header,
    oldHeader: old ? old.column.header : null,
    before: before?.column ?? null,
    after: after?.column ?? null,
  };
}

function isChange({ before, after, oldHeader }: ColumnDifference): boolean {
  if (!before || !after) return true;
  return oldHeader !== null || before.target !== after.target || isIgnored(before) !== isIgnored(after);
}

const isIgnored = (column: ArtifactColumn): boolean => column.reason === "ignored";

function isMappingBetter({ before, after }: Figure, columns: ColumnDifference[]): boolean | null {
  if (after === before) return null;
  const leftOut = columns.filter((one) => one.before?.target && one.after && isIgnored(one.after)).length;
  if (after > before) return true;
  return after + leftOut >= before ? null : false;
}

/** Fewer issues are no gain when fewer columns were checked, and more are no loss when more were. */
function areIssuesBetter(issues: Figure, mapped: Figure): boolean | null {
  if (issues.after < issues.before) return mapped.after < mapped.before ? null : true;
  if (issues.after > issues.before) return mapped.after > mapped.before ? null : false;
  return null;
}

function issueDifferences(before: Artifact, after: Artifact): IssueDifference[] {
  const isSame = isSameDocument(before, after);
  const [first, second] = [keyedIssues(before, isSame), keyedIssues(after, isSame)];
  const only = (some: Map<string, Issue>, others: Map<string, Issue>): Issue[] =>
    [...some].flatMap(([key, issue]) => (others.has(key) ? [] : [issue]));
  return [
    ...only(first, second).map((issue) => ({ kind: "solved" as const, issue })),
    ...only(second, first).map((issue) => ({ kind: "new" as const, issue })),
  ];
}

/** Issues by what they are about: the cell in the same document, otherwise the row of the table and the field. */
function keyedIssues(artifact: Artifact, isSame: boolean): Map<string, Issue> {
  const found = new Map<string, Issue>();
  const add = (issue: Issue, firstRow: number): void => {
    const cell = isSame || !issue.cell ? null : parseCell(issue.cell);
    const column = issue.field ? "" : issue.cell?.replace(/\d+$/, "");
    const place = cell ? `${column} ${cell.row - firstRow}` : issue.cell;
    found.set([issue.sheet, place, issue.field, issue.rule].join("\n"), issue);
  };
  for (const sheet of artifact.sheets) {
    for (const issue of sheet.issues) add(issue, 0);
    for (const table of sheet.tables) {
      const firstRow = table.header.rows.at(-1) ?? parseRange(table.range)?.firstRow ?? 0;
      for (const issue of table.issues) add(issue, firstRow);
    }
  }
  return found;
}
