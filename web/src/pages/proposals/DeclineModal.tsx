import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { decideProposal } from "~/api/corrections";
import type { Run } from "~/api/types";
import { ErrorPanel, showDone } from "~/components/feedback";

/** Leaves corrections with their document, and says why to the operator who made them. */
export function DeclineModal({ run, onClose }: { run: Run; onClose: () => void }) {
  const [note, setNote] = useState("");
  const client = useQueryClient();
  const decline = useMutation({
    mutationFn: () => decideProposal(run.id, "declined", note),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["runs"] });
      showDone(`The corrections stay with ${run.document_name}`);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Decline the corrections">
      <Stack>
        <Text size="sm">
          They stay with <strong>{run.document_name}</strong>, and do not hold for other documents.
        </Text>
        <TextInput
          label="Why"
          description="For the operator who made them."
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        {decline.error && <ErrorPanel error={decline.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Not yet
          </Button>
          <Button loading={decline.isPending} onClick={() => decline.mutate()}>
            Decline
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
