/** Where issues, which are about cells of the document, are in the result. */
import type { ArtifactTable, Issue } from "~/api/artifact";
import { cellName, parseCell } from "./a1";
import { resultRow } from "./cellCorrections";
import type { OutputColumn, TableRow } from "./changes";
import { isReshaped } from "./explain";
import { countData, dataRows } from "./resultPages";

/** Issues by the cell of the result; none where its rows do not follow those of the document one by one. */
export function resultMarks(
  table: ArtifactTable,
  entries: TableRow[],
  columns: readonly OutputColumn[],
  issues: readonly Issue[],
): Map<string, Issue[]> {
  const found = new Map<string, Issue[]>();
  const rowOf = resultRows(table, entries);
  const fields = new Map(columns.flatMap(({ field }, index) => (field ? [[field, index + 1] as const] : [])));
  for (const issue of rowOf ? issues : []) {
    const row = rowOf?.((issue.cell && parseCell(issue.cell)?.row) || 0) ?? null;
    const column = fields.get(issue.field ?? "");
    if (row === null || column === undefined) continue;
    const name = cellName({ row, column });
    found.set(name, [...(found.get(name) ?? []), issue]);
  }
  return found;
}

/** Which row of the result a row of the document became; null where that is not known. */
function resultRows(table: ArtifactTable, entries: TableRow[]): ((row: number) => number | null) | null {
  if (table.row_numbers && Object.keys(table.reshaped.added).length === 0) return (row) => resultRow(table, row);
  if (isReshaped(table) || countData(entries) !== table.rows.written) return null;
  const places = new Map(dataRows(entries).map((row, index) => [row, index + 2]));
  return (row) => places.get(row) ?? null;
}
