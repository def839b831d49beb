/** What stays visible of a grid while it scrolls. */
import type { ArtifactTable } from "~/api/artifact";
import { parseRange } from "./a1";

/** The header row of the table that the first rows on the screen belong to, when it is above them. */
export function frozenRow(
  tables: readonly Pick<ArtifactTable, "range" | "header">[],
  firstSeen: number,
): number | null {
  for (const { range, header } of tables) {
    const row = header.rows.at(-1);
    const lastRow = parseRange(range)?.lastRow ?? 0;
    if (row !== undefined && row < firstSeen && firstSeen <= lastRow) return row;
  }
  return null;
}
