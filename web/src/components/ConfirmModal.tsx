import { Button, Group, Modal, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  isOpen: boolean;
  title: string;
  /** What the button says that changes nothing, and the one that goes ahead. */
  keep: string;
  confirm: string;
  color?: string;
  isPending?: boolean;
  onClose: () => void;
  onConfirm: () => void;
  children: ReactNode;
}

/** Asks before something is done that cannot be taken back. */
export function ConfirmModal({ isOpen, title, color = "red", isPending = false, ...rest }: Props) {
  return (
    <Modal opened={isOpen} onClose={rest.onClose} title={title}>
      <Text size="sm" mb="md">
        {rest.children}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={rest.onClose}>
          {rest.keep}
        </Button>
        <Button color={color} loading={isPending} onClick={rest.onConfirm}>
          {rest.confirm}
        </Button>
      </Group>
    </Modal>
  );
}
