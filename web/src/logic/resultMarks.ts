/** Where issues, which are about cells of the document, are in the result. */
import type { ArtifactTable, Issue } from "~/api/artifact";
import { cellName, parseCell } from "./a1";
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
  if (isReshaped(table) || countData(entries) !== table.rows.written) return found;
  const places = new Map(dataRows(entries).map((row, index) => [row, index + 2]));
  const fields = new Map(columns.flatMap(({ field }, index) => (field ? [[field, index + 1] as const] : [])));
  for (const issue of issues) {
    const row = places.get((issue.cell && parseCell(issue.cell)?.row) || 0);
    const column = fields.get(issue.field ?? "");
    if (row === undefined || column === undefined) continue;
    const name = cellName({ row, column });
    found.set(name, [...(found.get(name) ?? []), issue]);
  }
  return found;
}
