/** Corrections of single cells: which cell of the document, or which value of a field, a cell of a grid represents. */
import type { Artifact, ArtifactTable } from "~/api/artifact";
import type { CellCorrection, CellValue, Correction } from "~/api/types";
import { cellName, columnLetters, type Cell } from "./a1";
import { cellText, type OutputColumn } from "./changes";
import { isReshaped, meaningOf, tablesOf } from "./explain";

/** Where a correction puts a value: everything of it but the value. */
export type CellPlace = Pick<CellCorrection, "cell" | "row" | "field" | "sheet">;

/** "The document has that in this cell"; what it holds now is noted, so that nothing else is ever replaced. */
export function sourceCorrection(place: CellPlace, text: string, value: CellValue | null): Correction {
  return { ...valueCorrection(place, text), found: value?.value ?? null };
}

export function valueCorrection(place: CellPlace, text: string): CellCorrection {
  return { kind: "cell", ...place, new: text === "" ? null : text };
}

export const textOf = ({ new: becomes }: Pick<CellCorrection, "new">): string =>
  becomes === null || becomes === undefined ? "" : String(becomes);

export function isAt(one: Correction, place: CellPlace): boolean {
  if (one.kind !== "cell") return false;
  const keys = ["cell", "row", "field", "sheet"] as const;
  return keys.every((key) => (one[key] ?? null) === (place[key] ?? null));
}

/** Why a cell of the document cannot be corrected by typing; null where it can. */
export function sourceRefusal(tables: ArtifactTable[], cell: Cell): string | null {
  const meaning = meaningOf(tables, cell);
  if (meaning?.part !== "data") return "only cells in rows of data can be changed. Say what its row is first.";
  if (!meaning.column) return "its column is in no table.";
  return null;
}

/** Why no cell of a table of the result can be corrected by typing; null where they can. */
export function tableRefusal(artifact: Artifact, table: ArtifactTable, outputSheet: number): string | null {
  const elsewhere = "Change the cell of the document in Review.";
  const output = artifact.outputs[outputSheet];
  const areApart = artifact.outputs.length === tablesOf(artifact).length && output?.name === table.output;
  if (!areApart) return `several tables are in this output. ${elsewhere}`;
  if (output.template) return `it is in a template. ${elsewhere}`;
  if (isReshaped(table) && Object.keys(table.reshaped.added).length > 0)
    return `rows of the document became several here. ${elsewhere}`;
  if (!table.row_numbers) return `it is not known which row of the document this is. ${elsewhere}`;
  return null;
}

/** The row of the document that a row of the result is from; the first below the header is 2. */
export function sourceRow(table: ArtifactTable, row: number): number | null {
  let left = row - 2;
  if (left < 0) return null;
  for (const [first = 0, count = 0] of table.row_numbers ?? []) {
    if (left < count) return first + left;
    left -= count;
  }
  return null;
}

/** The row of the result that a row of the document became; null where it was left out. */
export function resultRow(table: ArtifactTable, row: number): number | null {
  let before = 2;
  for (const [first = 0, count = 0] of table.row_numbers ?? []) {
    if (row >= first && row < first + count) return before + row - first;
    before += count;
  }
  return null;
}

const OWN_RULES = /^(type\.|correction$|currency$)/;

/** What a cell of the result represents: one cell of the document, or the field of a row that its rules compute. */
export function resultPlace(
  table: ArtifactTable,
  sheet: string | null,
  column: OutputColumn | undefined,
  row: number,
): CellPlace | null {
  const from = sourceRow(table, row);
  if (from === null || !column) return null;
  const rules = column.field === null ? [] : Object.keys(table.transform[column.field]?.rules ?? {});
  const feeding = table.columns.filter(({ target }) => target !== null && target === column.field).length;
  if (column.source !== null && feeding <= 1 && rules.every((rule) => OWN_RULES.test(rule)))
    return { cell: `${columnLetters(column.source)}${from}`, sheet };
  return column.field === null ? null : { row: from, field: column.field, sheet };
}

/** The corrected cells of a run by where they are, with who corrected them. */
export function correctedPlaces(artifact: Artifact, sheet: string | null): Map<string, string> {
  const found = new Map<string, string>();
  for (const { kind, place, by } of artifact.configuration?.corrections ?? []) {
    if (kind !== "cell" || !place || (place.sheet ?? sheet) !== sheet) continue;
    found.set(place.cell ?? `${place.field} ${place.row}`, by ? `corrected by ${by}` : "corrected");
  }
  return found;
}

/** Who corrected a value of the result, in words; null if it was not corrected. */
export function correctedBy(places: Map<string, string>, column: OutputColumn, row: number): string | null {
  const own = column.source === null ? null : cellName({ row, column: column.source });
  return (own === null ? null : places.get(own)) ?? places.get(`${column.field} ${row}`) ?? null;
}

/** Whether a text is what a cell holds already. */
export const isAsItWas = (text: string, value: CellValue | null): boolean => text === cellText(value);
