/** The places of a page's rows in the result, derived from the rows of the document. */
import type { TableRow } from "./changes";

export interface ResultPlace {
  /** The rows of the document on this page, without those that were left out as blank. */
  shown: TableRow[];
  /** How many rows of the result come before this page, and how many are on it. */
  before: number;
  count: number;
  /** Whether what the document tells fits what was written. */
  isMatched: boolean;
}

interface Paging {
  page: number;
  size: number;
  /** Whether every row of the document that may be data is in the result. */
  isDense: boolean;
  written: number;
}

export function countData(rows: TableRow[]): number {
  return rows.reduce((count, { part }) => (part === null ? count + 1 : count), 0);
}

export function dataRows(rows: TableRow[]): number[] {
  return rows.filter(({ part }) => part === null).map(({ row }) => row);
}

/** The pages of the document to read for one: where blank rows were left out, those before it tell where it begins. */
export function pagesToRead(entries: TableRow[], size: number, page: number, isDense: boolean): TableRow[][] {
  const numbers = isDense ? [page] : Array.from({ length: page + 1 }, (_, number) => number);
  return numbers.map((number) => entries.slice(number * size, (number + 1) * size));
}

/** Place the last of these pages in the result. */
export function placeInResult(entries: TableRow[], filled: TableRow[][], paging: Paging): ResultPlace {
  const { page, size, isDense, written } = paging;
  const shown = filled.at(-1) ?? [];
  const before = countData(isDense ? entries.slice(0, page * size) : filled.slice(0, -1).flat());
  const count = Math.max(0, Math.min(countData(shown), written - before));
  const isLast = (page + 1) * size >= entries.length;
  const isMatched = isDense || (isLast ? before + countData(shown) === written : count === countData(shown));
  return { shown, before, count, isMatched };
}
