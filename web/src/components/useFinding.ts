/** Goes through the cells of a sheet that contain a text: the server searches some rows at a time. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { foundCellsQuery } from "~/api/queries";
import type { FoundCells } from "~/api/types";
import { cellName, parseCell, type Cell } from "~/logic/a1";
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
): Finding {
  const client = useQueryClient();
  /** Return the cell to go to among the rows from one on; backwards, those before the chosen cell are read first. */
  const search = async (text: string, firstRow: number, from: Cell | null, step: Step): Promise<Cell | null> => {
    let start: number | null = firstRow;
    let last: Cell | null = null;
    while (start !== null) {
      const part: FoundCells = await client.fetchQuery(foundCellsQuery(source, sheet, text, start));
      const { items, next_row: next } = part;
      const found = nextCell(
        items.flatMap((name) => parseCell(name) ?? []),
        from,
        step,
      );
      if (found && step === 1) return found;
      last = found ?? last;
      const isBehind = step === -1 && from !== null && next !== null && next > from.row;
      start = isBehind ? null : next;
    }
    return last;
  };
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: async ({ text, step }: { text: string; step: Step }) => {
      const found = await search(text, step === 1 ? (chosen?.row ?? 1) : 1, chosen, step);
      const cell = found ?? (chosen && (await search(text, 1, null, step)));
      if (!cell) return { cell: null, outcome: `Nothing here has “${text}”` };
      const end = step === 1 ? "end" : "beginning";
      return { cell, outcome: found ? `Found in ${cellName(cell)}` : `Past the ${end}: ${cellName(cell)}` };
    },
  });
  // Said with the search, it is heard only for the last one, and only while the page is open.
  const find = (text: string, step: Step): void =>
    mutate({ text, step }, { onSuccess: ({ cell }) => cell && onChoose(cell) });
  return { find, isBusy: isPending, outcome: data?.outcome ?? null, error };
}
