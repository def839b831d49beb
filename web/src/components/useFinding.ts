/** Goes through the cells of a sheet that contain a text: the server searches some rows at a time. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { foundCellsQuery } from "~/api/queries";
import type { FoundCells } from "~/api/types";
import { cellName, parseCell, type Cell } from "~/logic/a1";
import type { GridView } from "~/logic/gridView";
import { count } from "~/logic/numbers";
import { nextCell, type Step } from "~/logic/reading";

export interface Finding {
  find: (text: string, step: Step) => void;
  isBusy: boolean;
  /** What came of the last search; null before. */
  outcome: string | null;
  error: Error | null;
}

export function useFinding(
  source: string,
  sheet: number,
  chosen: Cell | null,
  onChoose: (cell: Cell) => void,
  view?: GridView,
): Finding {
  const client = useQueryClient();
  /** Return the cell to go to among the rows from one on; backwards, those before the chosen cell are read first. */
  const search = async (text: string, firstRow: number, from: Cell | null, step: Step): Promise<Found> => {
    let start: number | null = firstRow;
    let last: Cell | null = null;
    let cutAt: number | null = null;
    while (start !== null) {
      const part: FoundCells = await client.fetchQuery(foundCellsQuery(source, sheet, text, start, view));
      const { items, next_row: next } = part;
      cutAt = part.searched_to;
      const found = nextCell(cellsOf(items), from, step);
      if (found && step === 1) return { cell: found, cutAt };
      last = found ?? last;
      const isBehind = step === -1 && from !== null && next !== null && next > from.row;
      start = isBehind ? null : next;
    }
    return { cell: last, cutAt };
  };
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: async ({ text, step }: { text: string; step: Step }) => {
      const first = await search(text, step === 1 ? (chosen?.row ?? 1) : 1, chosen, step);
      if (first.cell) return { cell: first.cell, outcome: `Found in ${cellName(first.cell)}` };
      const { cell, cutAt } = chosen ? await search(text, 1, null, step) : first;
      const cut = first.cutAt ?? cutAt;
      if (!cell) return { cell, outcome: nothingWords(text, cut) };
      return { cell, outcome: `Past ${endWords(step, cut)}: ${cellName(cell)}` };
    },
  });
  // Said with the search, it is heard only for the last one, and only while the page is open.
  const find = (text: string, step: Step): void =>
    mutate({ text, step }, { onSuccess: ({ cell }) => cell && onChoose(cell) });
  return { find, isBusy: isPending, outcome: data?.outcome ?? null, error };
}

const cellsOf = (names: string[]): Cell[] => names.flatMap((name) => parseCell(name) ?? []);

interface Found {
  cell: Cell | null;
  /** The last row that can be searched, where a sheet is too large to be searched to its end. */
  cutAt: number | null;
}

function nothingWords(text: string, cutAt: number | null): string {
  const where = cutAt === null ? "Nothing here has" : `Only the rows up to ${count(cutAt)} can be searched. None has`;
  return `${where} “${text}”`;
}

function endWords(step: Step, cutAt: number | null): string {
  if (cutAt !== null) return `row ${count(cutAt)}, the last that can be searched`;
  return step === 1 ? "the end" : "the beginning";
}
