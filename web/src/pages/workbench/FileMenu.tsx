import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical, PencilLine, Trash2 } from "lucide-react";
import { useState, type FormEvent } from "react";
import { changeFiles, readFile } from "~/api/drafts";
import { ErrorPanel, showDone } from "~/components/feedback";
import { isWorkbook } from "~/logic/formats";
import { forgetFile, saveAll } from "./openFiles";

interface Props {
  configurationId: string;
  path: string;
  /** Open another file in its place: the renamed one, or any. */
  onMoved: (path: string | undefined) => void;
}

/** Rename or delete the file in the editor. */
export function FileMenu(props: Props) {
  const [asked, setAsked] = useState<"rename" | "delete" | null>(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${props.path}`}>
            <EllipsisVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {/* A file is moved as text; a workbook is none. */}
          {!isWorkbook(props.path) && (
            <Menu.Item leftSection={<PencilLine size={15} />} onClick={() => setAsked("rename")}>
              Rename…
            </Menu.Item>
          )}
          <Menu.Item leftSection={<Trash2 size={15} />} onClick={() => setAsked("delete")}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === "rename" && <RenameModal {...props} onClose={() => setAsked(null)} />}
      {asked === "delete" && <DeleteModal {...props} onClose={() => setAsked(null)} />}
    </>
  );
}

/** Move the saved file to another path, or to none. */
function useMove({ configurationId, path, onMoved }: Props, onClose: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (to: string | null) => {
      if (to !== null && !(await saveAll(configurationId))) throw new Error("The file could not be saved.");
      const { text, etag } = await readFile(configurationId, path);
      const gone = { path, content: null, if_match: etag };
      await changeFiles(configurationId, to === null ? [gone] : [{ path: to, content: text, if_match: null }, gone]);
    },
    onSuccess: async (_, to) => {
      forgetFile(`${configurationId}/${path}`);
      await client.invalidateQueries({ queryKey: ["configurations"] });
      showDone(to === null ? `${path} is deleted from the draft` : `The file is ${to} now`);
      onClose();
      onMoved(to ?? undefined);
    },
  });
}

interface ModalProps extends Props {
  onClose: () => void;
}

function RenameModal({ onClose, ...props }: ModalProps) {
  const [name, setName] = useState(props.path);
  const move = useMove(props, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    move.mutate(name.trim());
  };
  return (
    <Modal opened onClose={onClose} title={`Rename ${props.path}`}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="New path"
            data-autofocus
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {move.error && <ErrorPanel error={move.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={move.isPending} disabled={name.trim() === "" || name.trim() === props.path}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function DeleteModal({ onClose, ...props }: ModalProps) {
  const move = useMove(props, onClose);
  return (
    <Modal opened onClose={onClose} title={`Delete ${props.path}?`}>
      <Stack>
        <Text size="sm">
          The file is removed from the draft. Published versions keep it, and you can restore it from them.
        </Text>
        {move.error && <ErrorPanel error={move.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep it
          </Button>
          <Button color="red.9" loading={move.isPending} onClick={() => move.mutate(null)} data-autofocus>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
