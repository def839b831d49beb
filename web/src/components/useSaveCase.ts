import { useMutation, useQueryClient } from "@tanstack/react-query";
import { saveCase } from "~/api/drafts";
import { showDone, showProblem } from "./feedback";

/** Makes the document and the result of a run a case: the draft is tested against it before it is published. */
export function useSaveCase(run: { id: string; configuration_id: string }) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => saveCase(run.configuration_id, run.id),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      await client.invalidateQueries({ queryKey: ["tests of a draft", run.configuration_id] });
      showDone(`Saved as the case “${name}” of the draft`);
    },
    onError: showProblem,
  });
}
