/** Cells as text that spreadsheets take: tabs between columns, a line for each row. */
import type { CellRow, CellValue } from "~/api/types";
import type { Range } from "./a1";
import { cellText } from "./changes";

/** `rows` start at the first column of the range; rows without cells are not among them. */
export function tabbed(rows: CellRow[], range: Range): string {
  const byRow = new Map(rows.map((row) => [row.row, row.cells]));
  const width = range.lastColumn - range.firstColumn + 1;
  const lines: string[] = [];
  for (let row = range.firstRow; row <= range.lastRow; row++) {
    const cells = byRow.get(row) ?? [];
    lines.push(Array.from({ length: width }, (_, column) => quoted(cells[column] ?? null)).join("\t"));
  }
  return lines.join("\n");
}

function quoted(cell: CellValue | null): string {
  const text = cellText(cell);
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
