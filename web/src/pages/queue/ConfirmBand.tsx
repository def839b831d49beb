import { Button, Group, Modal, Text } from "@mantine/core";
import type { QueuedRun } from "~/api/types";
import { priorityName } from "~/logic/priority";
import type { Move } from "~/logic/reorder";

interface Props {
  move: Move;
  run: QueuedRun;
  onClose: () => void;
  onConfirm: () => void;
}

/** Dropped among runs of another priority: that needs another priority, and a confirmation. */
export function ConfirmBand({ move, run, onClose, onConfirm }: Props) {
  return (
    <Modal opened onClose={onClose} title="Change the priority?">
      <Text size="sm" mb="md">
        To be there, {run.document_name} needs priority <strong>{priorityName(move.needsPriority ?? 0)}</strong> instead
        of {priorityName(run.priority)}.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Leave it
        </Button>
        <Button onClick={onConfirm} data-autofocus>
          Change and move
        </Button>
      </Group>
    </Modal>
  );
}
