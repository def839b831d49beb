/** Cell names: A1 and what it means. Rows and columns count from 1, as people do. */

export interface Cell {
  row: number;
  column: number;
}

export interface Range {
  firstRow: number;
  firstColumn: number;
  lastRow: number;
  lastColumn: number;
}

export function columnLetters(column: number): string {
  let letters = "";
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}

export function columnNumber(letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

export function cellName(cell: Cell): string {
  return `${columnLetters(cell.column)}${cell.row}`;
}

export function parseCell(name: string): Cell | null {
  const found = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(name.trim());
  if (!found?.[1] || !found[2]) return null;
  const row = Number(found[2]);
  return row < 1 ? null : { row, column: columnNumber(found[1]) };
}

export function parseRange(name: string): Range | null {
  const [from, to] = name.split(":");
  const first = parseCell(from ?? "");
  const last = to === undefined ? first : parseCell(to);
  if (!first || !last) return null;
  return {
    firstRow: Math.min(first.row, last.row),
    firstColumn: Math.min(first.column, last.column),
    lastRow: Math.max(first.row, last.row),
    lastColumn: Math.max(first.column, last.column),
  };
}

export function rangeName(range: Range): string {
  const first = cellName({ row: range.firstRow, column: range.firstColumn });
  return `${first}:${cellName({ row: range.lastRow, column: range.lastColumn })}`;
}

export function isInside(range: Range, cell: Cell): boolean {
  return (
    cell.row >= range.firstRow &&
    cell.row <= range.lastRow &&
    cell.column >= range.firstColumn &&
    cell.column <= range.lastColumn
  );
}

/** Whether a cell is in both. */
export function doOverlap(one: Range, other: Range): boolean {
  const areRowsApart = one.lastRow < other.firstRow || other.lastRow < one.firstRow;
  return !(areRowsApart || one.lastColumn < other.firstColumn || other.lastColumn < one.firstColumn);
}

/** The range between two corners, whichever they are. */
export function spanned(one: Cell, other: Cell): Range {
  return {
    firstRow: Math.min(one.row, other.row),
    firstColumn: Math.min(one.column, other.column),
    lastRow: Math.max(one.row, other.row),
    lastColumn: Math.max(one.column, other.column),
  };
}
