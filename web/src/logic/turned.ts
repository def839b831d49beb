/** Tables whose fields are rows of the document: they were turned, and each column of the document is a record. */
import type { ArtifactTable } from "~/api/artifact";
import type { CellRow, CellValue } from "~/api/types";
import { columnNumber, parseRange, rangeName, type Range } from "./a1";

export const isTurned = (table: ArtifactTable): boolean => table.transposed?.is_turned ?? false;

/** The range of the first records of a turned table. */
export function firstRecords(table: ArtifactTable, range: Range, most: number): string | null {
  const firstColumn = Math.max(range.firstColumn, ...(table.transposed?.header_columns ?? []).map(columnAfter));
  if (firstColumn > range.lastColumn) return null;
  return rangeName({ ...range, firstColumn, lastColumn: Math.min(range.lastColumn, firstColumn + most - 1) });
}

const columnAfter = (letters: string): number => columnNumber(letters) + 1;

/** The cells of a column of a table among rows of its document: those of a row where the table was turned. */
export function cellsOf(table: ArtifactTable, rows: readonly CellRow[], source: string): (CellValue | null)[] {
  if (isTurned(table)) return rows.find(({ row }) => row === Number(source))?.cells ?? [];
  const place = columnNumber(source) - (parseRange(table.range)?.firstColumn ?? 1);
  return rows.map(({ cells }) => cells[place] ?? null);
}

/** "column C", or "row 5" where the table was turned. */
export const sourceWords = (source: string): string => `${/^\d/.test(source) ? "row" : "column"} ${source}`;

/** "Column C", or "Row 5" where the table was turned. */
export function sourceTitle(source: string): string {
  const words = sourceWords(source);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is known of a table that looks transposed or was turned, as a sentence; empty for others. */
export function transposedWords({ transposed }: ArtifactTable): string {
  if (!transposed) return "";
  if (!transposed.is_turned)
    return (
      `${transposed.range} looks transposed: its first column holds the names of fields. ` +
      (transposed.is_too_large
        ? "It is too large to be turned, and was read unchanged."
        : "It was read unchanged; in Review, or with [tables] transposed in settings.toml, it is turned.")
    );
  const { header_columns: names, left_out_columns: leftOut } = transposed;
  const hold = names.length === 1 ? `Column ${names.join()} holds` : `Columns ${names.join(", ")} hold`;
  return [
    `It was turned: ${WHO[transposed.decided_by]}.`,
    names.length > 0 ? `${hold} the names of its fields.` : "",
    leftOut.length > 0 ? `Not data: ${leftOut.map((letters) => `column ${letters}`).join(", ")}.` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

const WHO = {
  evidence: "it looks transposed",
  settings: "the settings say so",
  correction: "a person decided it",
} as const;
