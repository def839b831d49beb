/** Puts the rows of the document beside the rows of the output, cell by cell. */
import type { ArtifactTable } from "~/api/artifact";
import type { Manifest } from "~/api/manifest";
import type { CellRow, CellValue } from "~/api/types";
import { columnNumber } from "./a1";
import { fieldName } from "./correct";

export interface OutputColumn {
  title: string;
  field: string | null;
  source: number | null;
  transform: string | null;
}

export interface PairedCell {
  before: string;
  after: string;
  isChanged: boolean;
}

export interface PairedRow {
  sourceRow: number;
  cells: PairedCell[];
  isChanged: boolean;
}

/** Which source column and which transform each column of the output comes from. */
export function outputColumns(titles: string[], table: ArtifactTable, manifest: Manifest | null): OutputColumn[] {
  const fields = new Map((manifest?.fields ?? []).map((field) => [field.label, field.name]));
  return titles.map((title) => {
    const known = fields.get(title) ?? (title in table.transform ? title : undefined);
    const guessed = fieldName(title);
    const field = known ?? (guessed in table.transform ? guessed : null);
    const column = field
      ? table.columns.find((one) => one.target === field)
      : table.columns.find((one) => one.target === null && (one.header === title || `Column ${one.source}` === title));
    return {
      title,
      field,
      source: column ? columnNumber(column.source) : null,
      transform: field ? (Object.keys(table.transform[field]?.rules ?? {})[0] ?? null) : null,
    };
  });
}

/** Pair source rows and output rows that stand at the same place. `firstColumn` is that of the source's cells. */
export function pairRows(
  sourceRows: number[],
  source: CellRow[],
  output: CellRow[],
  columns: OutputColumn[],
  firstColumn: number,
  firstOutputRow: number,
): PairedRow[] {
  const bySource = new Map(source.map((row) => [row.row, row.cells]));
  const byOutput = new Map(output.map((row) => [row.row, row.cells]));
  return sourceRows.map((sourceRow, index) => {
    const before = bySource.get(sourceRow) ?? [];
    const after = byOutput.get(firstOutputRow + index) ?? [];
    const cells = columns.map((column, place) => {
      const was = column.source === null ? "" : cellText(before[column.source - firstColumn] ?? null);
      const is = cellText(after[place] ?? null);
      return { before: was, after: is, isChanged: was !== is };
    });
    return { sourceRow, cells, isChanged: cells.some((cell) => cell.isChanged) };
  });
}

/** A value as people read it; a date without a time of day is the same date either way. */
export function cellText(cell: CellValue | null): string {
  if (!cell) return "";
  const text = String(cell.value);
  if (cell.is_cut) return `${text}…`;
  return cell.type === "datetime" ? text.replace(/T00:00:00$/, "") : text;
}
