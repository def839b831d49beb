import { Button, Group, Modal, Select, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { submitRuns, type RunsOrder } from "~/api/actions";
import { onFirstClick, useOnce } from "~/api/once";
import { configurationsQuery } from "~/api/queries";
import type { Document } from "~/api/types";
import { ErrorPanel } from "~/components/feedback";
import { PrioritySelect } from "~/components/PrioritySelect";
import { counted } from "~/logic/numbers";
import { NORMAL } from "~/logic/priority";
import { useWorkspace } from "~/shell/workspace";

/** With which configuration and priority documents shall run. */
export function RunModal({ documents, onClose }: { documents: Document[]; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const listed = useQuery(configurationsQuery(workspace.id)).data?.items ?? [];
  const published = listed.filter((one) => one.published_version !== null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [priority, setPriority] = useState(NORMAL);
  const configurationId = chosen ?? published[0]?.id ?? null;
  const submit = useSubmission();
  const start = (): void =>
    submit.mutate({ configurationId: configurationId ?? "", documentIds: documents.map((one) => one.id), priority });
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Run ${documents.length === 1 ? documents[0]?.name : counted(documents.length, "document")}`}
    >
      <Stack>
        <Select
          label="Configuration"
          placeholder="None is published yet"
          allowDeselect={false}
          data={published.map((one) => ({ value: one.id, label: `${one.name} · version ${one.published_version}` }))}
          value={configurationId}
          onChange={setChosen}
        />
        <PrioritySelect value={priority} onChange={setPriority} />
        {submit.error && <ErrorPanel error={submit.error} />}
        <Group justify="flex-end">
          <Button loading={submit.isPending} disabled={!configurationId} onClick={onFirstClick(start)}>
            {documents.length > 1 ? `Start ${documents.length} runs` : "Start the run"}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Starts the runs, and goes where they are. */
function useSubmission() {
  const navigate = useNavigate();
  const submitOnce = useOnce(submitRuns);
  return useMutation({
    mutationFn: (order: RunsOrder) => submitOnce(order),
    onSuccess: (runs) => {
      const [only] = runs;
      if (runs.length === 1 && only) void navigate({ to: "/runs/$runId", params: { runId: only.id } });
      else void navigate({ to: "/queue" });
    },
  });
}
