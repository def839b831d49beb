import { Button, Group, Modal, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { writeFile } from "~/api/drafts";
import { ErrorPanel } from "~/components/feedback";
import { newFile, type FileKind } from "~/logic/newFile";

interface Props {
  configurationId: string;
  paths: string[];
  onMade: (path: string) => void;
  onClose: () => void;
}

const KINDS: { value: FileKind; label: string }[] = [
  { value: "field", label: "Field" },
  { value: "hook", label: "Hook" },
  { value: "row type", label: "Row type" },
  { value: "other", label: "Other" },
];
const ASKED: Record<FileKind, { label: string; placeholder: string }> = {
  field: { label: "Label of the field", placeholder: "Member number" },
  hook: { label: "What it does", placeholder: "Report empty tables" },
  "row type": { label: "What it recognises", placeholder: "Grand total" },
  other: { label: "Path", placeholder: "requirements.txt" },
};

/** A file with something to start from. */
export function NewFileModal({ configurationId, paths, onMade, onClose }: Props) {
  const client = useQueryClient();
  const [kind, setKind] = useState<FileKind>("field");
  const [words, setWords] = useState("");
  const { path, content } = newFile(kind, words, paths);
  const make = useMutation({
    mutationFn: () => writeFile(configurationId, path, content, null),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      onMade(path);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="New file">
      <form onSubmit={submit}>
        <Stack>
          <SegmentedControl
            aria-label="Kind of file"
            data={KINDS}
            value={kind}
            onChange={(value) => setKind(value as FileKind)}
          />
          <WordsInput kind={kind} words={words} path={path} onChange={setWords} />
          {make.error && <ErrorPanel error={make.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={make.isPending} disabled={words.trim() === ""}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface WordsProps {
  kind: FileKind;
  words: string;
  path: string;
  onChange: (words: string) => void;
}

function WordsInput({ kind, words, path, onChange }: WordsProps) {
  return (
    <TextInput
      {...ASKED[kind]}
      data-autofocus
      required
      value={words}
      onChange={(event) => onChange(event.currentTarget.value)}
      description={kind !== "other" && words.trim() !== "" ? `The file will be ${path}.` : undefined}
    />
  );
}
