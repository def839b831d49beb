/** Says in words what the artifact says in numbers. */
import type { Artifact, ArtifactColumn, ArtifactSheet, ArtifactTable, Contribution, Issue } from "~/api/artifact";
import { columnLetters, columnNumber, isInside, parseCell, parseRange, type Cell } from "./a1";
import { count, counted } from "./numbers";
import { isTurned, sourceWords } from "./turned";

const MOST_NAMED = 5;

const RULES: Record<string, string> = {
  "header.alias": "The header is one of the field's names",
  "header.normalised": "The header is one of the field's names, apart from case or punctuation",
  "header.hint": "The header hints at the field",
  "header.lowest": "The lowest header row is one of the field's names",
  "header.fuzzy": "The header is nearly one of the field's names",
  "header.words": "The header shares words with the field's names",
  "name.base": "How often a randomly chosen field is right",
  "name.words": "The words of the header and of the field's name",
  "name.letters": "How the header and the field's name are written",
  "name.meaning": "What the words of the two names mean",
  "name.numbers": "Numbers in the two names",
  "name.rivals": "How well its name fits compared with other names",
  "profile.kinds": "How similar its values are to those of the example",
  "profile.range": "The range of its numbers or dates compared with the example's",
  "profile.repeats": "How often its values repeat compared with the example's",
  "profile.same": "Values it shares with the example",
  "profile.rivals": "How well its values fit compared with other values",
  "table.place": "Its place in the table",
  "table.rivals": "How likely other columns and fields are",
  "transposed.names_of_fields": "Its first column holds names of fields",
  "transposed.names_in_a_row": "A row holds names of fields",
  "transposed.words": "Its first column holds usual names of columns",
  "transposed.words_in_first_row": "Its first row holds usual names of columns",
  "transposed.kinds_along_rows": "Cells are of one kind along rows, and not down columns",
  "transposed.kinds_down_columns": "Cells are of one kind down columns, and not along rows",
  "transposed.numbers_throughout": "All its cells hold numbers",
  "transposed.steps_in_first_row": "Its first row steps through years, months or dates",
  "transposed.empty_corner": "Its first cell is empty",
  "transposed.values_repeat_down": "Texts repeat down its columns, and not along its rows",
  "transposed.names_repeat": "Names in its first column repeat",
  "transposed.total": "Its first column names a total",
  "transposed.second_column": "Its names are not in the first column",
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
export function ruleWords(
  rule: string,
  subject: "header" | "column",
  labelOf: (field: string) => string = (field) => field,
): string {
  if (subject === "header" && HEADER_ROW_RULES[rule]) return HEADER_ROW_RULES[rule];
  if (RULES[rule]) return RULES[rule];
  if (rule.startsWith("values.")) return `Its values look like ${rule.slice(7).replaceAll("_", " ")}`;
  const own = ownRule(rule);
  return own ? `Your rule ${own.function} of ${labelOf(own.field)}` : rule.replaceAll("_", " ").replaceAll(".", " · ");
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

const MOST_SPANS = 10;

/** "row 4" or "rows 5-9, 14 and 17-30012"; what comes after the first spans is counted. */
export function rowsWords(rows: number[]): string {
  if (rows.length === 0) return "no row";
  const all = spans(rows);
  const names = all.slice(0, MOST_SPANS).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  const rest = all.slice(MOST_SPANS).reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (rest > 0) names.push(`${count(rest)} more`);
  const listed = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  return `${rows.length === 1 ? "row" : "rows"} ${listed}`;
}

/** The first and last of rows that follow each other; two rows are listed, not spanned. */
function spans(rows: number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const row of rows) {
    const last = found.at(-1);
    if (last && row === last[1] + 1) last[1] = row;
    else found.push([row, row]);
  }
  return found.flatMap(([first, last]) =>
    last === first + 1
      ? [
          [first, first],
          [last, last],
        ]
      : [[first, last]],
  );
}

/** What a column had to reach: its score less its margin. */
export function barToPass(column: ArtifactColumn): number | null {
  return column.score === null || column.margin === null ? null : column.score - column.margin;
}

/** What a column scored and what it needed: "0.30 of 0.50 needed". */
export function scoreWords(column: ArtifactColumn): string {
  if (column.reason === "hook") return "decided by a hook";
  if (column.reason === "corrected") return "corrected by a person";
  if (column.reason === "ignored") return "left out by its header";
  const first = column.suggestions?.[0];
  if (column.reason === "unsure" && first) return `${percent(first.confidence)} likely`;
  const bar = barToPass(column);
  if (column.score !== null && bar !== null) return `${column.score.toFixed(2)} of ${bar.toFixed(2)} needed`;
  return column.runner_up ? `${column.runner_up.score.toFixed(2)}, another is better` : "nothing fits";
}

/** A probability for people: "67 %". */
export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

const MOST_REASONS = 3;
const FOR_AND_AGAINST: Record<string, [string, string]> = {
  "name.words": ["the words of the two names fit", "the words of the two names differ"],
  "name.letters": ["both names are written alike", "the names are written differently"],
  "name.meaning": ["the words mean the same, or nearly", "the words mean something else"],
  "name.numbers": ["the numbers in both names agree", "the numbers in the names differ"],
  "name.rivals": ["no other name fits better", "other names fit as well"],
  "profile.kinds": ["its values look like the example’s", "its values look different from the example’s"],
  "profile.range": ["its numbers or dates are in the example’s range", "its numbers or dates are in another range"],
  "profile.repeats": ["its values repeat as in the example", "its values repeat more or less often"],
  "profile.same": ["it has values of the example", "it has hardly any value of the example"],
  "profile.rivals": ["its values fit this field best", "other values fit as well"],
  "table.place": ["it is in the same place", "it is in another place"],
  "table.rivals": ["nothing else is as likely", "something else is nearly as likely"],
};

/** The strongest evidence for a field and against it, in one or two sentences. */
export function reasonsWords(contributions: Contribution[]): string {
  const told = byWeight(contributions.filter((one) => FOR_AND_AGAINST[one.rule]));
  const sentence = (opening: string, found: Contribution[], place: 0 | 1): string =>
    found.length ? `${opening}: ${found.map((one) => FOR_AND_AGAINST[one.rule]?.[place]).join("; ")}.` : "";
  const inFavour = told.filter((one) => one.delta > 0).slice(0, MOST_REASONS);
  const against = told.filter((one) => one.delta < 0).slice(0, MOST_REASONS);
  return [sentence("Evidence for it", inFavour, 0), sentence("Against it", against, 1)].filter(Boolean).join(" ");
}

/** Why a column is what it is, in one sentence. `labelOf` names a field for people. */
export function columnVerdict(column: ArtifactColumn, labelOf: (field: string) => string = (field) => field): string {
  const rival = column.runner_up && { ...column.runner_up, field: labelOf(column.runner_up.field) };
  if (column.target !== null) {
    if (column.reason === "ignored") return "The configuration leaves it out.";
    if (column.reason === "hook") return "A hook decided it.";
    if (column.reason === "corrected") return "A person decided it.";
    if (column.reason === "likely") {
      const next = rival
        ? `The next best field was ${rival.field} with ${percent(rival.score)}.`
        : "No other field came close.";
      const origin = column.learned_from ? ` Learned from ${column.learned_from}.` : "";
      return `${percent(column.confidence ?? column.score ?? 0)} likely. ${next}${origin}`;
    }
    return rival
      ? `The next best field was ${rival.field} with ${rival.score.toFixed(2)}.`
      : "No other field came close.";
  }
  if (column.reason === "unsure" && column.suggestions?.length) {
    const told = column.suggestions.map((found) => `${labelOf(found.field)} (${percent(found.confidence)})`);
    return `Not certain enough. It may be ${told.join(" or ")}. Choose the right field:`;
  }
  if (column.reason === "lost" && rival)
    return `It could be ${rival.field} (${rival.score.toFixed(2)}), but column ${column.lost_to} fits better.`;
  if (column.reason === "below_threshold" && rival)
    return `Not enough evidence for ${rival.field}: ${rival.score.toFixed(2)} of ${(barToPass(column) ?? 0).toFixed(2)}.`;
  if (column.reason === "hook") return "A hook left it out.";
  if (column.reason === "corrected") return "A person chose another column for its field.";
  return "No evidence for any field.";
}

/** What became of the columns that are no field: "2 kept as they are, 1 left out". */
export function unmappedWords(artifact: Artifact): string {
  if (artifact.summary.columns.total === 0) return "no table was found";
  const columns = tablesOf(artifact).flatMap(({ table }) => table.columns);
  const leftOut = columns.filter((column) => column.reason === "ignored").length;
  const kept = artifact.summary.columns.unmapped - leftOut;
  const parts = [kept > 0 && `${count(kept)} kept as they are`, leftOut > 0 && `${count(leftOut)} left out`];
  return parts.filter(Boolean).join(", ") || "all of them";
}

/** The largest first; equal ones as they were made. */
export function byWeight(contributions: Contribution[]): Contribution[] {
  return [...contributions].sort((one, other) => Math.abs(other.delta) - Math.abs(one.delta));
}

const NOT_READ = {
  hidden: "not read, because it is hidden",
  hook: "a hook left it out",
  correction: "a person left it out",
  failure: "not read, because the run failed before it",
};

/** How far a sheet was read, when its tables do not show it. */
export function sheetState({ skipped, tables, issues, is_complete: isComplete }: ArtifactSheet): string | null {
  if (skipped) return NOT_READ[skipped];
  if (isComplete) {
    const told = issues.find((issue) => issue.rule === "structure.no_table");
    return tables.length ? null : (told?.message ?? "no table was found");
  }
  if (tables.length === 0) return "the run failed here, before a table was found";
  return tables.at(-1)?.is_complete ? "the run failed here, after the last table above" : null;
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

/** Which sheet of the result has the rows of a table: totals and chosen outputs have sheets, too. */
export function outputNumber(artifact: Artifact, table: ArtifactTable): number {
  return Math.max(
    0,
    artifact.outputs.findIndex(({ name }) => name === table.output),
  );
}

/** The address of a column: its sheet, where its table begins, and its letter. */
export function columnPlace({ sheet, table }: Pick<PlacedTable, "sheet" | "table">, source: string): string {
  return `${sheet === null ? "" : `${sheet}!`}${shortPlace(table, source)}`;
}

/** The column an address means; one without a sheet is the first that fits. */
export function columnAt(tables: PlacedTable[], place: string): string | null {
  const all = tables.flatMap((placed) =>
    placed.table.columns.map(({ source }) => ({
      whole: columnPlace(placed, source),
      short: shortPlace(placed.table, source),
    })),
  );
  return (all.find(({ whole }) => whole === place) ?? all.find(({ short }) => short === place))?.whole ?? null;
}

function shortPlace(table: ArtifactTable, source: string): string {
  return `${table.range.replace(/:.*/, "")}.${source}`;
}

/** Tables by a name that no other has: the sheet, with the range where it has several. */
export function tableNames(tables: PlacedTable[]): string[] {
  return tables.map(({ sheet, sheetPosition, table }) => {
    const isOnly = tables.filter((one) => one.sheetPosition === sheetPosition).length === 1;
    const name = sheet ?? "the document";
    return isOnly ? name : `${name} ${table.range}`;
  });
}

export interface UnmappedHeader {
  header: string;
  columns: { place: string; table: string }[];
}

/** The columns that are no field, by their header: sheets of one kind often have the same. */
export function unmappedHeaders(artifact: Artifact): UnmappedHeader[] {
  const tables = tablesOf(artifact);
  const names = tableNames(tables);
  const found = new Map<string, UnmappedHeader>();
  tables.forEach((placed, index) => {
    for (const column of placed.table.columns) {
      if (column.target !== null || column.reason === "ignored") continue;
      const header = column.header || sourceWords(column.source);
      const entry = found.get(header) ?? { header, columns: [] };
      entry.columns.push({ place: columnPlace(placed, column.source), table: names[index] ?? "" });
      found.set(header, entry);
    }
  });
  return [...found.values()];
}

/** All issues that the artifact holds: those of tables, and those of whole sheets. */
export function issuesOf(artifact: Artifact): Issue[] {
  return artifact.sheets.flatMap((sheet) => [...sheet.issues, ...sheet.tables.flatMap((table) => table.issues)]);
}

/** What an issue without a cell is about. */
export function wholeOf(artifact: Artifact, issue: Issue): "whole sheet" | "whole table" {
  const sheet = artifact.sheets.find((found) => found.name === issue.sheet);
  return sheet && issue.rule in sheet.issue_counts.rules ? "whole sheet" : "whole table";
}

/** The hidden sheets that were not read, and how to read them; null when there is none. */
export function hiddenSheets(artifact: Artifact): string | null {
  const names = artifact.sheets.filter((sheet) => sheet.skipped === "hidden").map((sheet) => sheet.name ?? "");
  if (names.length === 0) return null;
  const named = names.slice(0, MOST_NAMED).join(", ") + (names.length > MOST_NAMED ? " and more" : "");
  const [nouns, them] = names.length === 1 ? ["hidden sheet", "it"] : ["hidden sheets", "them"];
  return `${names.length} ${nouns} not read: ${named}. To read ${them}, name the sheets to read, or set [sheets] hidden = "read" in settings.toml.`;
}

/** How much of a table's data the document hides; empty when nothing. */
export function hiddenWords(hidden: ArtifactTable["hidden"]): string {
  const parts = [
    hidden.rows > 0 && counted(hidden.rows, "hidden row"),
    hidden.columns.length > 0 &&
      `hidden ${hidden.columns.length === 1 ? "column" : "columns"} ${hidden.columns.join(", ")}`,
  ].filter(Boolean);
  return parts.join(" and ");
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
    if (isTurned(table) && isInside(range, cell)) return meaningInTurned(table, cell);
    const column = table.columns.find((found) => columnNumber(found.source) === cell.column) ?? null;
    for (const [key, part] of SKIPPED) if (table[key].includes(cell.row)) return { part, table, column };
    if (!isInside(range, cell)) continue;
    return { part: table.header.rows.includes(cell.row) ? "header" : "data", table, column };
  }
  return null;
}

function meaningInTurned(table: ArtifactTable, cell: Cell): CellMeaning {
  const column = table.columns.find(({ source }) => Number(source) === cell.row) ?? null;
  const letters = columnLetters(cell.column);
  if (table.group_rows.includes(cell.row)) return { part: "group", table, column: null };
  if (table.transposed?.header_columns.includes(letters)) return { part: "header", table, column };
  return { part: table.transposed?.left_out_columns.includes(letters) ? "totals" : "data", table, column };
}

/** The rows of a table that are no data, and what they are. */
export function leftOutRows(table: ArtifactTable): Map<number, CellPart> {
  return new Map(SKIPPED.flatMap(([key, part]) => table[key].map((row) => [row, part] as const)));
}

/** "title in rows 1 and 2, totals in row 29": what was left out of a table and where; empty when nothing. */
export function leftOutWords(table: ArtifactTable): string {
  return SKIPPED.filter(([key]) => table[key].length > 0)
    .map(([key, part]) => `${part === "group" ? "group heading" : part} in ${rowsWords(table[key])}`)
    .join(", ");
}

const ROW_RULES: Record<string, string> = {
  correction: "a person decided it",
  duplicates: "another row has the same key",
  join_lines: "they continue the row above",
  unpivot: "columns became rows",
  "unpivot.empty": "the cell that became a row is empty",
  "hook.keep": "a hook decided it",
  "hook.expand": "a hook decided it",
};

/** Whether rows were left out, added or joined, so that they no longer follow those of the document one by one. */
export function isReshaped(table: ArtifactTable): boolean {
  const { reshaped } = table;
  if (isTurned(table)) return true;
  return Object.keys(reshaped.dropped).length > 0 || Object.keys(reshaped.added).length > 0;
}

/** How many rows each rule left out or added, and what became of the totals: one sentence each. */
export function reshapedWords({ reshaped }: ArtifactTable): string[] {
  const told = (rows: Record<string, number>, verb: string) =>
    Object.entries(rows).map(([rule, number]) => `${counted(number, "row")} ${verb}: ${rowRuleWords(rule)}.`);
  const { checked, wrong } = reshaped.totals;
  const totals = checked > 0 ? [`${counted(checked, "total")} compared with the rows, ${count(wrong)} wrong.`] : [];
  return [...told(reshaped.dropped, "left out"), ...told(reshaped.added, "added"), ...totals];
}

function rowRuleWords(rule: string): string {
  const found = /^(keep|drop)\.(.+)$/.exec(rule);
  if (found)
    return `${found[2]} is ${found[1] === "keep" ? "not one of the values to keep" : "one of the values to drop"}`;
  return ROW_RULES[rule] ?? rule;
}

/** How many rows of the document are in no table's data: titles and notes too. */
export function leftOutCount(artifact: Artifact): number {
  return tablesOf(artifact).reduce((sum, { table }) => sum + leftOutRows(table).size, 0);
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
