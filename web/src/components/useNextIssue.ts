/** Goes from issue to issue of a sheet, wherever they are; those far away are asked for block by block. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { issueMarksQuery, MARK_ROWS } from "~/api/queries";
import { showProblem } from "~/components/feedback";
import { parseCell, type Cell } from "~/logic/a1";
import { nextCell, type Step } from "~/logic/reading";

export function useNextIssue(
  runId: string | null,
  sheet: string | null,
  lastRow: number,
  chosen: Cell | null,
  onChoose: (cell: Cell) => void,
): { go: (step: Step) => void; isBusy: boolean; isAtEnd: boolean } {
  const client = useQueryClient();
  const { mutate, isPending, data } = useMutation({
    mutationFn: async (step: Step): Promise<Cell | null> => {
      const lastBlock = Math.floor((lastRow - 1) / MARK_ROWS);
      const outside = step === 1 ? 0 : lastBlock;
      let block = chosen ? Math.min(lastBlock, Math.floor((chosen.row - 1) / MARK_ROWS)) : outside;
      for (; block >= 0 && block <= lastBlock; block += step) {
        const issues = await client.fetchQuery(issueMarksQuery(runId ?? "", sheet, block));
        const cells = issues.flatMap((issue) => (issue.sheet === sheet && issue.cell && parseCell(issue.cell)) || []);
        const found = nextCell(cells, chosen, step);
        if (found) return found;
      }
      return null;
    },
    onError: showProblem,
  });
  // Said with the step, it is heard only for the last one, and only while the page is open.
  const go = (step: Step): void =>
    void (runId !== null && mutate(step, { onSuccess: (found) => found && onChoose(found) }));
  return { go, isBusy: isPending, isAtEnd: data === null };
}
