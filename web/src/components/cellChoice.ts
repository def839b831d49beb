import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type KeyboardEvent, type MouseEvent } from "react";
import { cellsQuery } from "~/api/queries";
import { showDone, showProblem } from "~/components/feedback";
import { cellName, rangeName, spanned, type Cell, type Range } from "~/logic/a1";
import { tabbed } from "~/logic/copied";
import type { GridView } from "~/logic/gridView";
import type { Arrangement } from "./ColumnMenu";

export interface CellChoice {
  chosen: Cell | null;
  choose: (cell: Cell) => void;
  range: Range | null;
  corner: Cell | null;
  click: (event: MouseEvent, cell: Cell) => void;
  /** Of the element that holds the cells. */
  handlers: { onKeyDown: (event: KeyboardEvent) => void; onMouseDown: (event: MouseEvent) => void };
}

interface Props {
  source: string;
  sheet: number;
  chosen: Cell | null;
  onChoose: (cell: Cell) => void;
  onRange?: (range: Range | null) => void;
  arrangement?: Arrangement | undefined;
}

/** How cells are chosen by mouse and by keyboard, one or a range of them, and copied. */
export function useCellChoice(
  { source, sheet, onRange, arrangement, ...address }: Props,
  size: { rows: number; columns: number },
  scrollTo: (cell: Cell) => void,
): CellChoice {
  const [chosen, onChoose] = useChosen(address);
  const { range, corner, extendTo } = useSelection(`${source} ${sheet}`, chosen);
  useTold(range, onRange);
  const copy = useCopy(source, sheet, arrangement?.view);
  const press = (event: KeyboardEvent): void => {
    if (event.key === "c" && (event.metaKey || event.ctrlKey) && range) {
      event.preventDefault();
      copy(range);
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const to = stepped((event.shiftKey && corner) || chosen || { row: 1, column: 1 }, step, size);
    if (!event.shiftKey || !chosen) return onChoose(to);
    extendTo(to);
    scrollTo(to);
  };
  const click = (event: MouseEvent, cell: Cell): void => {
    if (event.shiftKey && chosen) extendTo(cell);
    else {
      extendTo(null);
      onChoose(cell);
    }
  };
  // Shift and a click choose a range of cells, not the text between two places.
  const onMouseDown = (event: MouseEvent): void => void (event.shiftKey && event.preventDefault());
  return { chosen, choose: onChoose, range, corner, click, handlers: { onKeyDown: press, onMouseDown } };
}

const STEPS: Record<string, [number, number]> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [20, 0],
  PageUp: [-20, 0],
};

function stepped(from: Cell, [down, right]: [number, number], size: { rows: number; columns: number }): Cell {
  return {
    row: Math.min(size.rows, Math.max(1, from.row + down)),
    column: Math.min(size.columns, Math.max(1, from.column + right)),
  };
}

/** The cell in the page's address, or the one clicked a moment ago that is not in the address yet. */
function useChosen({ chosen, onChoose }: Pick<Props, "chosen" | "onChoose">): [Cell | null, (cell: Cell) => void] {
  const [clicked, setClicked] = useState<{ before: string; cell: Cell } | null>(null);
  const inAddress = chosen ? cellName(chosen) : "";
  if (clicked && clicked.before !== inAddress) setClicked(null);
  return [
    clicked?.cell ?? chosen,
    (cell) => {
      setClicked(cellName(cell) === inAddress ? null : { before: inAddress, cell });
      onChoose(cell);
    },
  ];
}

interface Selection {
  range: Range | null;
  corner: Cell | null;
  extendTo: (cell: Cell | null) => void;
}

/** The chosen cell, or the range from it to another one. */
function useSelection(key: string, chosen: Cell | null): Selection {
  const [extent, setExtent] = useState<{ from: string; to: Cell } | null>(null);
  const from = `${key} ${chosen ? cellName(chosen) : ""}`;
  const corner = extent?.from === from ? extent.to : null;
  return {
    range: chosen && spanned(chosen, corner ?? chosen),
    corner,
    extendTo: (to) => setExtent(to && { from, to }),
  };
}

/** Tell the range that is chosen, once for each. */
function useTold(range: Range | null, onRange: Props["onRange"]): void {
  const name = range ? rangeName(range) : "";
  useEffect(() => {
    onRange?.(range);
    // The same range in another object is no other range.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [name, onRange]);
}

/** Copies a range. It is asked for whole: only what is on the screen was loaded. */
function useCopy(source: string, sheet: number, view?: GridView): (range: Range) => void {
  const client = useQueryClient();
  return (range) => {
    const name = rangeName(range);
    client
      .fetchQuery(cellsQuery(source, sheet, name, view))
      .then(({ rows }) => navigator.clipboard.writeText(tabbed(rows, range)))
      .then(() => showDone(`${name} copied`), showProblem);
  };
}
