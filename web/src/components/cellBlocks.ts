import { useQueries } from "@tanstack/react-query";
import { cellsQuery } from "~/api/queries";
import type { CellRow } from "~/api/types";
import { rangeName } from "~/logic/a1";
import type { GridView } from "~/logic/gridView";

const BLOCK = 100; // rows that are asked for together
const MOST_CELLS = 20_000; // that the server answers at once

function blockRange(block: number, size: number, columns: number): string {
  return rangeName({ firstRow: block * size + 1, lastRow: (block + 1) * size, firstColumn: 1, lastColumn: columns });
}

const NO_ROWS: CellRow[] = [];

export interface Blocks {
  rows: Map<number, CellRow>;
  first: CellRow[];
  end: number;
  isCutAt: number | null;
  isFirstPending: boolean;
}

/** The blocks these rows are in, and up to which row there is something as far as they tell. */
export function useBlocks(source: string, sheet: number, rows: number[], columns: number, view?: GridView): Blocks {
  const size = Math.max(1, Math.min(BLOCK, Math.floor(MOST_CELLS / columns)));
  const blocks = [...new Set([0, ...rows.map((row) => Math.floor(row / size))])];
  return useQueries({
    queries: blocks.map((block) => cellsQuery(source, sheet, blockRange(block, size, columns), view)),
    combine: (results) => ({
      isFirstPending: results[0]?.isPending ?? false,
      first: results[0]?.data?.rows ?? NO_ROWS,
      isCutAt: results.find(({ data }) => data && !data.is_whole)?.data?.last_row ?? null,
      rows: new Map(results.flatMap((result) => (result.data?.rows ?? []).map((row) => [row.row, row] as const))),
      end: Math.max(
        ...results.map(
          ({ data }, index) =>
            data?.last_row ?? (data?.has_more_rows ? ((blocks[index] ?? 0) + 2) * size : (data?.rows.at(-1)?.row ?? 0)),
        ),
      ),
    }),
  });
}
