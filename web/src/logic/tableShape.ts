/** The rectangle of a table and its header rows, and what becomes of them when an edge is moved. */
import type { ArtifactTable } from "~/api/artifact";
import type { Correction } from "~/api/types";
import { doOverlap, parseRange, rangeName, type Range } from "./a1";
import { isTurned } from "./turned";

export interface TableShape {
  range: Range;
  /** Of a table whose fields are rows, the columns that hold their names. */
  headerRows: number;
  isTransposed?: boolean;
}

export type Edge = "top" | "bottom" | "left" | "right" | "header";

export const EDGES: readonly Edge[] = ["top", "header", "bottom", "left", "right"];

export const EDGE_NAMES: Record<Edge, string> = {
  top: "Top edge",
  header: "Lower edge of the header",
  bottom: "Bottom edge",
  left: "Left edge",
  right: "Right edge",
};

const MOST_HEADER_ROWS = 100;

/** Where a table is: as it was corrected a moment ago, or else as a run found it. */
export function shapeOf(table: ArtifactTable, sheet: string | null, pending: readonly Correction[]): TableShape | null {
  const found = parseRange(table.range);
  if (!found) return null;
  for (const one of pending) {
    if (one.kind !== "range" || (one.sheet ?? null) !== sheet) continue;
    const range = parseRange(one.range);
    if (range && doOverlap(range, found)) return shapeSaid(range, one);
  }
  if (isTurned(table)) return turnedShape(found, table.transposed?.header_columns.length ?? 1);
  const last = table.header.rows.at(-1);
  return { range: found, headerRows: last === undefined ? 0 : last - found.firstRow + 1 };
}

function shapeSaid(range: Range, one: Extract<Correction, { kind: "range" }>): TableShape {
  return one.transposed ? turnedShape(range, one.header_rows) : { range, headerRows: one.header_rows };
}

const turnedShape = (range: Range, headerRows: number): TableShape => ({ range, headerRows, isTransposed: true });

/** The same table with its fields as rows, or as columns again. */
export function turned(shape: TableShape): TableShape {
  return shape.isTransposed ? { range: shape.range, headerRows: 1 } : turnedShape(shape.range, 1);
}

/** The edges that can be moved: a table whose fields are rows has no header with a lower edge. */
export function edgesOf({ isTransposed }: TableShape): readonly Edge[] {
  return isTransposed ? EDGES.filter((edge) => edge !== "header") : EDGES;
}

/** How many rows from the top are the header. */
export const headerHeight = ({ headerRows, isTransposed }: TableShape): number => (isTransposed ? 0 : headerRows);

/** Where an edge is: the last row or column inside it, and the first one for the top and the left. */
export function placeOf({ range, headerRows }: TableShape, edge: Edge): number {
  if (edge === "header") return range.firstRow + headerRows - 1;
  return range[SIDES[edge]];
}

const SIDES = { top: "firstRow", bottom: "lastRow", left: "firstColumn", right: "lastColumn" } as const;

/** From where to where an edge can be moved. */
export function limitsOf(shape: TableShape, edge: Edge, size: { rows: number; columns: number }): [number, number] {
  const { range } = shape;
  const headerRows = headerHeight(shape);
  switch (edge) {
    case "top":
      return [1, range.lastRow];
    case "bottom":
      return [range.firstRow + Math.max(headerRows, 1) - 1, size.rows];
    case "header":
      return [range.firstRow - 1, Math.min(range.lastRow, range.firstRow + MOST_HEADER_ROWS - 1)];
    case "left":
      return [1, range.lastColumn];
    case "right":
      return [range.firstColumn, size.columns];
  }
}

/** The table with an edge elsewhere. Its header keeps its lower edge, or moves along as one row. */
export function moved(shape: TableShape, edge: Edge, to: number, size: { rows: number; columns: number }): TableShape {
  const [least, most] = limitsOf(shape, edge, size);
  const place = Math.min(most, Math.max(least, to));
  if (edge === "header") return { ...shape, headerRows: place - shape.range.firstRow + 1 };
  const range = { ...shape.range, [SIDES[edge]]: place };
  if (shape.isTransposed) {
    const width = range.lastColumn - range.firstColumn + 1;
    return { ...shape, range, headerRows: Math.min(shape.headerRows, width) };
  }
  if (edge !== "top" || shape.headerRows === 0) return { ...shape, range };
  const kept = placeOf(shape, "header") - place + 1;
  return { range, headerRows: Math.min(MOST_HEADER_ROWS, Math.max(1, kept)) };
}

export function rangeCorrection({ range, headerRows, isTransposed }: TableShape, sheet: string | null): Correction {
  const about = { kind: "range", range: rangeName(range), sheet, header_rows: headerRows } as const;
  return isTransposed ? { ...about, transposed: true } : about;
}
