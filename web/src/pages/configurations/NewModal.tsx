import { Button, FileInput, Group, Modal, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FileArchive } from "lucide-react";
import { useState, type FormEvent } from "react";
import { createConfiguration } from "~/api/drafts";
import { ErrorPanel } from "~/components/feedback";
import { useWorkspace } from "~/shell/workspace";

const STARTS = [
  { value: "example", label: "An example" },
  { value: "minimal", label: "One field" },
  { value: "zip", label: "A zip archive" },
];

/** Makes a configuration, and opens its draft. */
export function NewModal({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState("example");
  const [archive, setArchive] = useState<File | null>(null);
  const create = useCreation();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ name, from: kind === "zip" ? archive : kind });
  };
  return (
    <Modal opened onClose={onClose} title="New configuration">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            data-autofocus
            label="Name"
            required
            placeholder="Members"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <SegmentedControl aria-label="Start from" data={STARTS} value={kind} onChange={setKind} />
          {kind === "zip" && <ArchiveInput value={archive} onChange={setArchive} />}
          {create.error && <ErrorPanel error={create.error} />}
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={create.isPending}
              disabled={name.trim() === "" || (kind === "zip" && !archive)}
            >
              Create the draft
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function useCreation() {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, from }: { name: string; from: File | string | null }) =>
      createConfiguration(workspace.id, name, from),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      void navigate({ to: "/configurations/$configurationId/edit", params: { configurationId: made.id } });
    },
  });
}

function ArchiveInput({ value, onChange }: { value: File | null; onChange: (archive: File | null) => void }) {
  return (
    <FileInput
      label="Archive"
      accept=".zip"
      leftSection={<FileArchive size={16} />}
      value={value}
      onChange={onChange}
      placeholder="Choose a file"
    />
  );
}
