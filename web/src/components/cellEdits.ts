/** Typing into cells of a grid: which cell is open, and what a page makes of what was typed. */
import { useState, type RefObject } from "react";
import type { CellRow, CellValue } from "~/api/types";
import { cellName, type Cell } from "~/logic/a1";
import { cellText } from "~/logic/changes";

export interface CorrectedCell {
  text: string;
  /** The author of the value, in words. */
  by: string;
}

/** What a page says of the cells that people may type into. Rows are those of the sheet, however they are sorted. */
export interface CellEdits {
  /** What was put into a cell, where anything was. */
  correctedTo: (cell: Cell) => CorrectedCell | null;
  /** Why a cell cannot be changed here; null where it can. */
  refusal: (cell: Cell) => string | null;
  /** Take what was typed; `value` is what the cell holds. */
  onEdit: (cell: Cell, text: string, value: CellValue | null) => void;
}

export interface CellEditing {
  /** The cell that is typed into, and what is in it at first. */
  open: { cell: Cell; text: string } | null;
  /** Why the cell chosen last could not be opened. */
  refused: string | null;
  start: (cell: Cell) => void;
  /** Take the text, and continue in another cell. */
  finish: (text: string, down: number, right: number) => void;
  cancel: () => void;
}

interface Grid {
  frame: RefObject<HTMLDivElement | null>;
  rows: Map<number, CellRow>;
  choose: (cell: Cell) => void;
}

const TOO_LONG = "This text is too long to be changed here.";

export function useCellEditing(edits: CellEdits | undefined, { frame, rows, choose }: Grid): CellEditing | null {
  const [open, setOpen] = useState<CellEditing["open"]>(null);
  const [refused, setRefused] = useState<string | null>(null);
  if (!edits) return null;
  const meant = (cell: Cell): Cell => ({ ...cell, row: rows.get(cell.row)?.number ?? cell.row });
  const valueOf = (cell: Cell): CellValue | null => rows.get(cell.row)?.cells[cell.column - 1] ?? null;
  const close = (): void => {
    setOpen(null);
    frame.current?.focus({ preventScroll: true });
  };
  return {
    open,
    refused,
    start: (cell) => {
      const why = edits.refusal(meant(cell)) ?? (valueOf(cell)?.is_cut ? TOO_LONG : null);
      setRefused(why && `${cellName(meant(cell))}: ${why}`);
      setOpen(why ? null : { cell, text: edits.correctedTo(meant(cell))?.text ?? cellText(valueOf(cell)) });
    },
    finish: (text, down, right) => {
      if (!open) return;
      if (text !== open.text) edits.onEdit(meant(open.cell), text, valueOf(open.cell));
      if (down !== 0 || right !== 0) choose({ row: open.cell.row + down, column: open.cell.column + right });
      close();
    },
    cancel: close,
  };
}
