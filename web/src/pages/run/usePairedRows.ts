import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Artifact } from "~/api/artifact";
import { manifestOf } from "~/api/manifest";
import { buildQuery, cellsQuery, documentQuery, outputCellsQuery } from "~/api/queries";
import type { CellRow, Run } from "~/api/types";
import { errorOf } from "~/components/feedback";
import { columnLetters, parseRange, rangeName } from "~/logic/a1";
import {
  cellText,
  filledRows,
  issuesByField,
  outputColumns,
  pairRows,
  tableRows,
  type OutputColumn,
  type PairedRow,
  type TableRow,
} from "~/logic/changes";
import { issuesOf, type CellPart, type PlacedTable } from "~/logic/explain";

const MOST_ROWS = 100;
const MOST_CELLS = 20_000; // in one answer
const APART = 30; // rows of a header, and between a title and its table, that are asked for too

export interface LeftOutRow {
  sourceRow: number;
  part: CellPart;
  text: string;
}

export interface PairedPage {
  columns: OutputColumn[];
  /** Rows of the result, and between them what was left out of the document. */
  items: (PairedRow | LeftOutRow)[];
  /** Whether the rows of the document are beside them; without that, nothing is known to be changed. */
  isCompared: boolean;
  /** The place of the first row in the result, from 1, and how many rows these are. */
  first: number;
  count: number;
  pageCount: number;
  /** The last row of the result that can be shown, when it is too large to be shown whole. */
  cutAt: number | null;
}

export interface Paired {
  page: PairedPage | null;
  /** Why there is no page. */
  error: unknown;
  /** Why it is not compared, when the document is the reason. */
  sourceError: unknown;
}

/** A page of a table of the result, beside the rows of the document it comes from. */
export function usePairedRows(
  run: Run,
  artifact: Artifact,
  placed: PlacedTable,
  outputSheet: number,
  page: number,
): Paired {
  const { table, sheet } = placed;
  const range = parseRange(table.range);
  const entries = useMemo(() => tableRows(table), [table]);
  const issues = useMemo(() => issuesByField(issuesOf(artifact), sheet), [artifact, sheet]);
  const width = table.columns.length + Object.keys(table.transform).length + 4;
  const size = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_CELLS / width) - APART));
  const isDense = useMemo(() => countData(entries) === table.rows.written, [entries, table]);
  const manifest = manifestOf(useQuery(buildQuery(run.build_id)).data);
  const document = useQuery(documentQuery(run.input_document_id));
  const sheetIndex = document.data?.sheets.find((one) => one.name === sheet)?.index ?? 0;
  const pageOf = (number: number): TableRow[] => entries.slice(number * size, (number + 1) * size);
  // Where blank rows were left out, only the pages before tell at which row of the result this one begins.
  const pages = isDense ? [page] : Array.from({ length: page + 1 }, (_, number) => number);
  const sources = useQueries({
    queries: pages.map((number) => ({
      ...cellsQuery(`/documents/${run.input_document_id}`, sheetIndex, spanOf(pageOf(number), range)),
      enabled: document.isSuccess && entries.length > 0,
    })),
  });
  const sourceError = errorOf(document) ?? sources.map(errorOf).find((error) => error) ?? null;
  const isRead = sources.every((one) => one.data !== undefined);
  const filled = pages.map((number, index) => {
    const rows = sources[index]?.data?.rows;
    return rows && !isDense ? filledRows(pageOf(number), rows) : pageOf(number);
  });
  const shown = filled.at(-1) ?? [];
  const before = isDense ? countData(entries.slice(0, page * size)) : sum(filled.slice(0, -1).map(countData));
  const count = Math.max(0, Math.min(countData(shown), table.rows.written - before));
  const isLast = (page + 1) * size >= entries.length;
  const isMatched = isDense || (isLast ? before + countData(shown) === table.rows.written : count === countData(shown));

  const letter = columnLetters(width);
  const top = useQuery(outputCellsQuery(run.id, outputSheet, `A1:${letter}${size + 1}`));
  const later = useQuery({
    ...outputCellsQuery(run.id, outputSheet, `A${before + 2}:${letter}${before + size + 1}`),
    enabled: page > 0 && (isDense || isRead || sourceError !== null),
  });
  const output = page === 0 ? top : later;
  const error = errorOf(top) ?? errorOf(output);
  if (!top.data || !output.data || !range || !(isRead || sourceError)) return { page: null, error, sourceError };

  const last = sources.at(-1)?.data;
  const reachesEnd = last?.is_whole !== false || (last.last_row ?? 0) >= (shown.at(-1)?.row ?? 0);
  const isCompared = isRead && isMatched && reachesEnd;
  const columns = outputColumns((top.data.rows[0]?.cells ?? []).map(cellText), table, manifest);
  const sourceRows = shown
    .filter((entry) => entry.part === null)
    .map((entry) => entry.row)
    .slice(0, count);
  const rows = pairRows(
    sourceRows,
    isCompared && last ? last.rows : null,
    output.data.rows,
    columns,
    range.firstColumn,
    before + 2,
    isCompared ? issues : undefined,
  );
  return {
    page: {
      columns,
      items: inOrder(shown, rows, last?.rows ?? []),
      isCompared,
      first: before + 1,
      count,
      pageCount: Math.ceil(entries.length / size),
      cutAt: output.data.is_whole ? null : output.data.last_row,
    },
    error: null,
    sourceError,
  };
}

function countData(rows: TableRow[]): number {
  return rows.reduce((count, { part }) => (part === null ? count + 1 : count), 0);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The range these rows span, over the columns of the table. */
function spanOf(rows: TableRow[], range: ReturnType<typeof parseRange>): string {
  const [first, last] = [rows[0], rows.at(-1)];
  return range && first && last ? rangeName({ ...range, firstRow: first.row, lastRow: last.row }) : "A1:A1";
}

function inOrder(shown: TableRow[], rows: PairedRow[], source: CellRow[]): (PairedRow | LeftOutRow)[] {
  const byRow = new Map(rows.map((row) => [row.sourceRow, row]));
  const texts = new Map(source.map((row) => [row.row, row.cells.map(cellText).filter(Boolean).join(" · ")]));
  return shown.flatMap(({ row, part }): (PairedRow | LeftOutRow)[] => {
    if (part !== null) return [{ sourceRow: row, part, text: texts.get(row) ?? "" }];
    const found = byRow.get(row);
    return found ? [found] : [];
  });
}
