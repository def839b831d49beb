import { ActionIcon, Button, Group, Menu, TagsInput, Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical, Play, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "~/api/client";
import type { Document } from "~/api/types";
import { showDone, showProblem } from "~/components/feedback";
import { counted } from "~/logic/numbers";
import { useForbidden } from "~/shell/workspace";
import { ConfirmModal } from "~/components/ConfirmModal";
import { RunModal } from "./RunModal";

type Opened = "run" | "tags" | "delete";

/** What can be done with several documents at once. */
export function Bulk({ documents, onDone }: { documents: Document[]; onDone: () => void }) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const [opened, setOpened] = useState<Opened | null>(null);
  const finish = async (words: string): Promise<void> => {
    await client.invalidateQueries({ queryKey: ["documents"] });
    showDone(words);
    setOpened(null);
    onDone();
  };
  return (
    <>
      <Button
        size="sm"
        leftSection={<Play size={15} />}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        onClick={() => setOpened("run")}
      >
        Run {counted(documents.length, "document")}
      </Button>
      <MoreMenu isDisabled={forbidden !== null} onOpen={setOpened} />
      {opened === "run" && <RunModal documents={documents} onClose={() => setOpened(null)} />}
      <TagsModal isOpen={opened === "tags"} documents={documents} onClose={() => setOpened(null)} onDone={finish} />
      <DeleteModal isOpen={opened === "delete"} documents={documents} onClose={() => setOpened(null)} onDone={finish} />
    </>
  );
}

function MoreMenu({ isDisabled, onOpen }: { isDisabled: boolean; onOpen: (what: Opened) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More for the chosen documents" disabled={isDisabled}>
          <EllipsisVertical size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Tag size={15} />} onClick={() => onOpen("tags")}>
          Add tags
        </Menu.Item>
        <Menu.Item leftSection={<Trash2 size={15} />} onClick={() => onOpen("delete")}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ModalProps {
  isOpen: boolean;
  documents: Document[];
  onClose: () => void;
  onDone: (words: string) => Promise<void>;
}

function TagsModal({ isOpen, documents, onClose, onDone }: ModalProps) {
  const [tags, setTags] = useState<string[]>([]);
  const change = useMutation({
    mutationFn: () =>
      Promise.all(
        documents.map((one) => api.patch(`/documents/${one.id}`, { tags: [...new Set([...one.tags, ...tags])] })),
      ),
    onSuccess: () => onDone(`${counted(documents.length, "document")} tagged`),
    onError: showProblem,
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Tags for ${counted(documents.length, "document")}`}>
      <TagsInput data-autofocus label="Tags to add" value={tags} onChange={setTags} mb="md" />
      <Group justify="flex-end">
        <Button loading={change.isPending} disabled={tags.length === 0} onClick={() => change.mutate()}>
          Add
        </Button>
      </Group>
    </Modal>
  );
}

function DeleteModal({ isOpen, documents, onClose, onDone }: ModalProps) {
  const remove = useMutation({
    mutationFn: () => Promise.all(documents.map((one) => api.delete(`/documents/${one.id}`))),
    onSuccess: () => onDone(`${counted(documents.length, "document")} deleted`),
    onError: showProblem,
  });
  return (
    <ConfirmModal
      isOpen={isOpen}
      title={`Delete ${counted(documents.length, "document")}?`}
      keep="Keep them"
      confirm="Delete"
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      Their runs and results stay until retention removes them.
    </ConfirmModal>
  );
}
