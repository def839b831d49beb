import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Combine } from "lucide-react";
import { send } from "~/api/client";
import type { Run } from "~/api/types";
import { showProblem } from "~/components/feedback";

interface Props {
  workspaceId: string;
  finished: Run[];
  hasOpen: boolean;
}

/** Gives the outputs of the chosen runs to the person as one workbook, the oldest first. */
export function CombineButton({ workspaceId, finished, hasOpen }: Props) {
  const areReady = finished.length > 1 && !hasOpen && finished.every((run) => run.status === "succeeded");
  const combine = useMutation({
    mutationFn: () => download(workspaceId, finished.map((run) => run.id).sort()),
    onError: showProblem,
  });
  return (
    <Button
      variant="default"
      leftSection={<Combine size={16} />}
      disabled={!areReady}
      loading={combine.isPending}
      title={areReady ? undefined : "Choose runs that succeeded"}
      onClick={() => combine.mutate()}
    >
      Download as one
    </Button>
  );
}

async function download(workspaceId: string, runIds: string[]): Promise<void> {
  const body = JSON.stringify({ run_ids: runIds, format: "xlsx" });
  const headers = { "Content-Type": "application/json" };
  const response = await send("POST", `/workspaces/${workspaceId}/combined-output`, { body, headers });
  const address = URL.createObjectURL(await response.blob());
  const link = window.document.createElement("a");
  link.href = address;
  link.download = "combined.xlsx";
  link.click();
  URL.revokeObjectURL(address);
}
