/** Says in words what the artifact says in numbers. */
import type { Artifact, ArtifactColumn, ArtifactTable, Contribution, Issue } from "~/api/artifact";
import { isInside, parseCell, parseRange, columnNumber, type Cell } from "./a1";

const RULES: Record<string, string> = {
  "header.alias": "The header is one of the field's names",
  "header.normalised": "The header is one of the field's names, apart from case or punctuation",
  "header.hint": "The header hints at the field",
  "header.lowest": "The lowest header row is one of the field's names",
  "header.fuzzy": "The header is nearly one of the field's names",
  "header.words": "The header shares words with the field's names",
  "header.base": "Most rows are not headers",
  "header.text": "Its cells are text",
  "header.unique": "Its cells differ from each other",
  "header.type_change": "The rows below hold other types",
  "header.coverage": "It spans the whole table",
  "header.first": "It is the first row",
  "header.style": "It looks like a header",
};
const HEADER_ROW_RULES: Record<string, string> = { "header.words": "Its words are those of headers" };

/** A rule in words, for a header row or for a column. */
export function ruleWords(rule: string, subject: "header" | "column"): string {
  if (subject === "header" && HEADER_ROW_RULES[rule]) return HEADER_ROW_RULES[rule];
  if (RULES[rule]) return RULES[rule];
  if (rule.startsWith("values.")) return `Its values look like ${rule.slice(7).replaceAll("_", " ")}`;
  const own = ownRule(rule);
  return own ? `Your rule ${own.function} of ${own.field}` : rule.replaceAll("_", " ").replaceAll(".", " · ");
}

/** Where a rule of the configuration lives: col.member_id.pattern is detect_pattern in columns/member_id.py. */
export function ownRule(rule: string): { field: string; function: string; file: string } | null {
  const found = /^col\.([^.]+)\.(.+)$/.exec(rule);
  if (!found?.[1] || !found[2]) return null;
  const isWhole = found[2] === "transform" || found[2] === "validate";
  return {
    field: found[1],
    function: isWhole ? found[2] : `detect_${found[2]}`,
    file: `columns/${found[1]}.py`,
  };
}

export function rowsWords(rows: number[]): string {
  if (rows.length === 0) return "no row";
  if (rows.length === 1) return `row ${rows[0]}`;
  return `rows ${rows.slice(0, -1).join(", ")} and ${rows.at(-1)}`;
}

/** What a column had to reach: its score less its margin, when no runner-up set a higher bar. */
export function barToPass(column: ArtifactColumn): number | null {
  return column.score === null || column.margin === null ? null : column.score - column.margin;
}

/** Why a column is what it is, in one sentence. */
export function columnVerdict(column: ArtifactColumn): string {
  const rival = column.runner_up;
  if (column.target !== null) {
    if (column.reason === "hook") return "A hook decided so.";
    return rival
      ? `The next best field was ${rival.field} with ${rival.score.toFixed(2)}.`
      : "No other field came close.";
  }
  if (column.reason === "lost" && rival)
    return `It could be ${rival.field} (${rival.score.toFixed(2)}), but column ${column.lost_to} is a better one.`;
  if (column.reason === "below_threshold" && rival)
    return `${rival.field} came closest with ${rival.score.toFixed(2)}, which is below the threshold.`;
  if (column.reason === "hook") return "A hook left it out.";
  return "Nothing speaks for any field.";
}

/** The largest first; equal ones as they were made. */
export function byWeight(contributions: Contribution[]): Contribution[] {
  return [...contributions].sort((one, other) => Math.abs(other.delta) - Math.abs(one.delta));
}

export interface PlacedTable {
  sheet: string | null;
  sheetPosition: number;
  table: ArtifactTable;
}

export function tablesOf(artifact: Artifact): PlacedTable[] {
  return artifact.sheets.flatMap((sheet, sheetPosition) =>
    sheet.tables.map((table) => ({ sheet: sheet.name, sheetPosition, table })),
  );
}

export function issuesOf(artifact: Artifact): Issue[] {
  return tablesOf(artifact).flatMap(({ table }) => table.issues);
}

export type CellPart = "header" | "data" | "title" | "note" | "totals" | "group" | "repeated header";

const SKIPPED: [keyof ArtifactTable & `${string}_rows`, CellPart][] = [
  ["title_rows", "title"],
  ["note_rows", "note"],
  ["totals_rows", "totals"],
  ["group_rows", "group"],
  ["repeated_header_rows", "repeated header"],
];

export interface CellMeaning {
  part: CellPart;
  table: ArtifactTable;
  column: ArtifactColumn | null;
}

/** What a cell is to a run: part of a header, data of a field, or a row that was left out; null outside all tables. */
export function meaningOf(tables: ArtifactTable[], cell: Cell): CellMeaning | null {
  for (const table of tables) {
    const range = parseRange(table.range);
    if (!range) continue;
    const isBeside = cell.column < range.firstColumn || cell.column > range.lastColumn;
    if (isBeside) continue;
    const column = table.columns.find((found) => columnNumber(found.source) === cell.column) ?? null;
    for (const [key, part] of SKIPPED) if (table[key].includes(cell.row)) return { part, table, column };
    if (!isInside(range, cell)) continue;
    return { part: table.header.rows.includes(cell.row) ? "header" : "data", table, column };
  }
  return null;
}

/** The source rows that became rows of the output, in order. */
export function dataRows(table: ArtifactTable): number[] {
  const range = parseRange(table.range);
  if (!range) return [];
  const left = new Set([...table.header.rows, ...SKIPPED.flatMap(([key]) => table[key])]);
  const rows: number[] = [];
  for (let row = range.firstRow; row <= range.lastRow; row++) if (!left.has(row)) rows.push(row);
  return rows;
}

/** Issues by the cell they are about. */
export function issuesByCell(issues: Issue[], sheet: string | null): Map<string, Issue[]> {
  const found = new Map<string, Issue[]>();
  for (const issue of issues) {
    if (issue.sheet !== sheet || !issue.cell || !parseCell(issue.cell)) continue;
    found.set(issue.cell, [...(found.get(issue.cell) ?? []), issue]);
  }
  return found;
}
