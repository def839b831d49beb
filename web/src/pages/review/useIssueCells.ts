/** What the cells of issues hold. Issues carry no values: they are read from the document, by those who may see it. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Issue } from "~/api/artifact";
import { cellsQuery, documentQuery } from "~/api/queries";
import type { Cells, CellValue, Run, Sheet } from "~/api/types";
import { parseCell, rangeName } from "~/logic/a1";

const BLOCK = 200;
const MOST_BLOCKS = 30; // asked for at once; issues beyond them are counted, and listed without values

interface Block {
  sheet: number;
  range: string;
  key: string;
}

const NO_SHEETS: Sheet[] = [];

export function useIssueCells(run: Run, issues: Issue[]): (issue: Issue) => CellValue | null | undefined {
  const sheets = useQuery(documentQuery(run.input_document_id)).data?.sheets ?? NO_SHEETS;
  const blocks = useMemo(() => blocksOf(issues, sheets), [issues, sheets]);
  const found = useQueries({
    queries: blocks.map(({ sheet, range }) => cellsQuery(`/documents/${run.input_document_id}`, sheet, range)),
    combine: (results) => results.map(({ data }) => data),
  });
  return useMemo(() => reader(blocks, found, sheets), [blocks, found, sheets]);
}

function blockOf(issue: Issue, sheets: Sheet[]): Block | null {
  const cell = issue.cell ? parseCell(issue.cell) : null;
  const sheet = sheets.find(({ name }) => name === issue.sheet)?.index;
  if (!cell || sheet === undefined) return null;
  const firstRow = Math.floor((cell.row - 1) / BLOCK) * BLOCK + 1;
  const columns = { firstColumn: cell.column, lastColumn: cell.column };
  const range = rangeName({ firstRow, lastRow: firstRow + BLOCK - 1, ...columns });
  return { sheet, range, key: `${sheet} ${range}` };
}

function blocksOf(issues: Issue[], sheets: Sheet[]): Block[] {
  const found = new Map<string, Block>();
  for (const issue of issues) {
    const block = blockOf(issue, sheets);
    if (block) found.set(block.key, block);
    if (found.size === MOST_BLOCKS) break;
  }
  return [...found.values()];
}

function reader(blocks: Block[], found: (Cells | undefined)[], sheets: Sheet[]) {
  const byKey = new Map(
    blocks.map(({ key }, index) => [key, new Map(found[index]?.rows.map((row) => [row.row, row.cells[0] ?? null]))]),
  );
  return (issue: Issue): CellValue | null | undefined => {
    const block = blockOf(issue, sheets);
    return byKey.get(block?.key ?? "")?.get(parseCell(issue.cell ?? "")?.row ?? 0);
  };
}
