import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Artifact, ArtifactTable } from "~/api/artifact";
import { manifestOf } from "~/api/manifest";
import { buildQuery, cellsQuery, documentQuery, outputCellsQuery } from "~/api/queries";
import type { CellRow, Run, Cells } from "~/api/types";
import { errorOf } from "~/components/feedback";
import { columnLetters, parseRange, rangeName, type Range } from "~/logic/a1";
import { correctedBy, correctedPlaces } from "~/logic/cellCorrections";
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
import { isReshaped, issuesOf, type CellPart, type PlacedTable } from "~/logic/explain";
import { countData, dataRows, pagesToRead, placeInResult, type ResultPlace } from "~/logic/resultPages";

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
  /** Whether the rows of the document are known; without them, changes are unknown. */
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

/** A page of a table of the result, with the rows of the document it comes from. */
export function usePairedRows(
  run: Run,
  artifact: Artifact,
  placed: PlacedTable,
  outputSheet: number,
  page: number,
): Paired {
  const { table, sheet } = placed;
  const issues = useMemo(() => issuesByField(issuesOf(artifact), sheet), [artifact, sheet]);
  const corrected = useMemo(() => correctedPlaces(artifact, sheet), [artifact, sheet]);
  const manifest = manifestOf(useQuery(buildQuery(run.build_id)).data);
  const source = useSourcePage(run, placed, page);
  const output = useOutputPage(run, outputSheet, source, page);
  const { range, sourceError } = source;
  if (!output.top || !output.cells || !range || !(source.isRead || sourceError))
    return { page: null, error: output.error, sourceError };
  const columns = outputColumns((output.top.rows[0]?.cells ?? []).map(cellText), table, manifest);
  const rows = pairRows(
    dataRows(source.shown).slice(0, source.count),
    source.isCompared && source.last ? source.last.rows : null,
    output.cells.rows,
    columns,
    range.firstColumn,
    source.before + 2,
    source.isCompared ? issues : undefined,
    (column, row) => correctedBy(corrected, column, row),
  );
  const found: PairedPage = {
    columns,
    items: inOrder(source.shown, rows, source.last?.rows ?? []),
    isCompared: source.isCompared,
    first: source.before + 1,
    count: source.count,
    pageCount: source.pageCount,
    cutAt: output.cells.is_whole ? null : output.cells.last_row,
  };
  return { page: found, error: null, sourceError };
}

interface SourcePage extends ResultPlace {
  range: Range | null;
  size: number;
  width: number;
  isDense: boolean;
  isRead: boolean;
  isCompared: boolean;
  /** The cells of this page; those of the pages before it only tell where it begins. */
  last: Cells | undefined;
  pageCount: number;
  sourceError: unknown;
}

/** The rows of the document that a page of the result comes from. */
function useSourcePage(run: Run, { table, sheet }: PlacedTable, page: number): SourcePage {
  const range = parseRange(table.range);
  const entries = useMemo(() => tableRows(table), [table]);
  const { width, size } = pageSize(table);
  const isDense = useMemo(() => countData(entries) === table.rows.written, [entries, table]);
  const document = useQuery(documentQuery(run.input_document_id));
  const sheetIndex = document.data?.sheets.find((one) => one.name === sheet)?.index ?? 0;
  const pages = pagesToRead(entries, size, page, isDense);
  const sources = useQueries({
    queries: pages.map((rows) => ({
      ...cellsQuery(`/documents/${run.input_document_id}`, sheetIndex, spanOf(rows, range)),
      enabled: document.isSuccess && entries.length > 0,
    })),
  });
  const sourceError = errorOf(document) ?? sources.map(errorOf).find((error) => error) ?? null;
  const isRead = sources.every((one) => one.data !== undefined);
  const filled = pages.map((rows, index) => {
    const cells = sources[index]?.data?.rows;
    return cells && !isDense ? filledRows(rows, cells) : rows;
  });
  const place = placeInResult(entries, filled, { page, size, isDense, written: table.rows.written });
  const last = sources.at(-1)?.data;
  const reachesEnd = last?.is_whole !== false || (last.last_row ?? 0) >= (place.shown.at(-1)?.row ?? 0);
  const isCompared = isRead && place.isMatched && reachesEnd && !isReshaped(table);
  const pageCount = Math.ceil(entries.length / size);
  return { ...place, range, size, width, isDense, isRead, isCompared, last, pageCount, sourceError };
}

interface OutputPage {
  /** The first rows of the result, with its titles. */
  top: Cells | undefined;
  cells: Cells | undefined;
  error: unknown;
}

function useOutputPage(run: Run, sheet: number, source: SourcePage, page: number): OutputPage {
  const { before, size, isDense, isRead, sourceError } = source;
  const letter = columnLetters(source.width);
  const top = useQuery(outputCellsQuery(run.id, sheet, `A1:${letter}${size + 1}`));
  const later = useQuery({
    ...outputCellsQuery(run.id, sheet, `A${before + 2}:${letter}${before + size + 1}`),
    enabled: page > 0 && (isDense || isRead || sourceError !== null),
  });
  const output = page === 0 ? top : later;
  return { top: top.data, cells: output.data, error: errorOf(top) ?? errorOf(output) };
}

function pageSize(table: ArtifactTable): { width: number; size: number } {
  const width = table.columns.length + Object.keys(table.transform).length + 4;
  return { width, size: Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_CELLS / width) - APART)) };
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
