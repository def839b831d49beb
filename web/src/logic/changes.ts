/** Compares the rows of the document with the rows of the output, cell by cell. */
import type { ArtifactTable, Issue, Severity } from "~/api/artifact";
import type { Manifest } from "~/api/manifest";
import type { CellRow, CellValue } from "~/api/types";
import { columnNumber, parseCell, parseRange, rangeName } from "./a1";
import { fieldName } from "./fieldNames";
import { leftOutRows, type CellPart } from "./explain";
import { cellsOf, firstRecords, isTurned, sourceTitle, sourceWords } from "./turned";

export interface OutputColumn {
  title: string;
  field: string | null;
  source: number | null;
  /** What it is from, in words: "column C", or "row 5" where the table was turned. */
  from: string | null;
  transform: string | null;
  /** How many of its values the transforms changed. */
  changed: number;
  /** Whether the types of its cells can be compared: a text that became a date looks the same. */
  isTyped: boolean;
}

export interface PairedCell {
  before: string;
  after: string;
  isChanged: boolean;
  /** "text → date", when nothing else of the value changed. */
  retyped: string | null;
  type: CellValue["type"] | null;
  issues: Issue[];
  /** Who corrected it, in words; null if it was not corrected. */
  corrected: string | null;
}

export interface PairedRow {
  sourceRow: number;
  cells: PairedCell[];
  isChanged: boolean;
}

/** Which source column and which transform each column of the output comes from. */
export function outputColumns(titles: string[], table: ArtifactTable, manifest: Manifest | null): OutputColumn[] {
  const fields = new Map((manifest?.fields ?? []).map((field) => [field.label, field.name]));
  const unused = table.columns.filter((one) => one.target === null && one.reason !== "ignored");
  const hasTypes = table.file?.endsWith(".xlsx") !== false;
  return titles.map((title) => {
    const known = fields.get(title) ?? (title in table.transform ? title : undefined);
    const guessed = fieldName(title);
    const field = known ?? (guessed in table.transform ? guessed : null);
    const column = field ? table.columns.find((one) => one.target === field) : takeNamed(unused, title);
    const change = field ? table.transform[field] : undefined;
    return {
      title,
      field,
      source: column && !isTurned(table) ? columnNumber(column.source) : null,
      from: column ? sourceWords(column.source) : null,
      transform: Object.keys(change?.rules ?? {})[0] ?? null,
      changed: change?.changed ?? 0,
      isTyped: hasTypes && (change?.changed ?? 0) > 0,
    };
  });
}

/** Take the next unmapped column of a title; the second of two with one header is called "Name (2)". */
function takeNamed(unused: ArtifactTable["columns"], title: string): ArtifactTable["columns"][number] | undefined {
  const names = [title, title.replace(/ \(\d+\)$/, "")];
  for (const name of names) {
    const place = unused.findIndex((one) => (one.header || sourceTitle(one.source)) === name);
    if (place >= 0) return unused.splice(place, 1)[0];
  }
  return undefined;
}

export interface TableRow {
  row: number;
  /** What a row is that was left out; null for data. */
  part: CellPart | null;
}

// Titles and notes further away than this are only named: what lies between is not of the table.
const NEAR = 10;

/** The rows of a table and those left out in it and around it, in order, without the header. */
export function tableRows(table: ArtifactTable): TableRow[] {
  const range = parseRange(table.range);
  if (!range) return [];
  const leftOut = leftOutRows(table);
  const header = new Set(table.header.rows);
  const rows: TableRow[] = [];
  for (let row = Math.max(1, range.firstRow - NEAR); row <= range.lastRow + NEAR; row++) {
    const part = leftOut.get(row) ?? null;
    const isData = part === null && row >= range.firstRow && row <= range.lastRow && !header.has(row);
    if (part !== null || isData) rows.push({ row, part });
  }
  return rows;
}

/** The rows among these that hold something: a run leaves blank rows out, and its artifact does not list them. */
export function filledRows(rows: TableRow[], source: CellRow[]): TableRow[] {
  const filled = new Set(source.filter(({ cells }) => cells.some(isFilled)).map(({ row }) => row));
  return rows.filter(({ row, part }) => part !== null || filled.has(row));
}

function isFilled(cell: CellValue | null): boolean {
  return cell !== null && String(cell.value).trim() !== "";
}

/** Pair source rows and output rows in the same place. `firstColumn` is that of the source's cells. */
export function pairRows(
  sourceRows: number[],
  source: CellRow[] | null,
  output: CellRow[],
  columns: OutputColumn[],
  firstColumn: number,
  firstOutputRow: number,
  issues: Map<string, Issue[]> = new Map(),
  correctedBy: (column: OutputColumn, row: number) => string | null = () => null,
): PairedRow[] {
  const bySource = new Map(source?.map((row) => [row.row, row.cells]));
  const byOutput = new Map(output.map((row) => [row.row, row.cells]));
  return sourceRows.map((sourceRow, index) => {
    const before = bySource.get(sourceRow) ?? [];
    const after = byOutput.get(firstOutputRow + index) ?? [];
    const cells = columns.map((column, place) => {
      const was = column.source === null ? null : (before[column.source - firstColumn] ?? null);
      const found = (column.field && issues.get(issueKey(sourceRow, column.field))) || [];
      const corrected = source === null ? null : correctedBy(column, sourceRow);
      return { ...compared(was, after[place] ?? null, column, source !== null), issues: found, corrected };
    });
    return { sourceRow, cells, isChanged: cells.some((cell) => cell.isChanged) };
  });
}

function compared(
  was: CellValue | null,
  is: CellValue | null,
  column: OutputColumn,
  isKnown: boolean,
): Omit<PairedCell, "issues" | "corrected"> {
  const [before, after] = [cellText(was), cellText(is)];
  const isSame = before === after;
  const isRetyped = isSame && column.isTyped && was !== null && is !== null && was.type !== is.type;
  return {
    before,
    after,
    isChanged: isKnown && (!isSame || isRetyped),
    retyped: isRetyped ? `${TYPES[was.type]} → ${TYPES[is.type]}` : null,
    type: is?.type ?? null,
  };
}

const TYPES: Record<CellValue["type"], string> = {
  text: "text",
  number: "number",
  boolean: "true or false",
  date: "date",
  datetime: "date and time",
  time: "time",
  duration: "duration",
  error: "error",
};

/** Issues by the row and the field they are about: a field may have no column of its own in the document. */
export function issuesByField(issues: Issue[], sheet: string | null): Map<string, Issue[]> {
  const found = new Map<string, Issue[]>();
  for (const issue of issues) {
    const cell = issue.cell && issue.sheet === sheet ? parseCell(issue.cell) : null;
    if (!cell || issue.field === null) continue;
    const key = issueKey(cell.row, issue.field);
    found.set(key, [...(found.get(key) ?? []), issue]);
  }
  return found;
}

function issueKey(row: number, field: string): string {
  return `${row} ${field}`;
}

const RANK: Severity[] = ["info", "warning", "error"];

/** The worst of what is wrong with a cell. */
export function worstOf(issues: Issue[]): Severity | null {
  const ranks = issues.map((issue) => RANK.indexOf(issue.severity));
  return ranks.length ? (RANK[Math.max(...ranks)] ?? null) : null;
}

const MOST_SAMPLES = 3;
const SAMPLED_ROWS = 12;

/** The range of the first data rows, from which samples of each column are taken. */
export function sampleRange(table: ArtifactTable): string | null {
  const range = parseRange(table.range);
  if (!range) return null;
  const left = leftOutRows(table);
  if (isTurned(table)) return firstRecords(table, range, SAMPLED_ROWS);
  let first = Math.max(range.firstRow, ...table.header.rows.map((row) => row + 1));
  while (left.has(first) && first < range.lastRow) first += 1;
  if (first > range.lastRow) return null;
  return rangeName({ ...range, firstRow: first, lastRow: Math.min(range.lastRow, first + SAMPLED_ROWS - 1) });
}

/** The first few different values of a column, as far as these rows hold any. */
export function samplesOf(rows: CellRow[], table: ArtifactTable, source: string): string[] {
  const left = leftOutRows(table);
  const data = rows.filter(({ row }) => !left.has(row));
  const texts = cellsOf(table, data, source).map((cell) => cellText(cell).trim());
  return [...new Set(texts.filter(Boolean))].slice(0, MOST_SAMPLES);
}

/** A value as people read it; a date without a time of day is the same date either way. */
export function cellText(cell: CellValue | null): string {
  if (!cell) return "";
  const text = String(cell.value);
  if (cell.is_cut) return `${text}…`;
  return cell.type === "datetime" ? text.replace(/T00:00:00$/, "") : text;
}
