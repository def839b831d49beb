import { Button, Group, Modal, NativeSelect, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { writeFile } from "~/api/drafts";
import { ErrorPanel } from "~/components/feedback";
import { HOOKS, newFile, USUAL_HOOK, type FileKind, type NewFile } from "~/logic/newFile";

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
  const [kind, setKind] = useState<FileKind>("field");
  const [words, setWords] = useState("");
  const [hook, setHook] = useState(USUAL_HOOK);
  const { path, content } = newFile(kind, words, paths, hook);
  const make = useMaking(configurationId, (made) => {
    onMade(made);
    onClose();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate({ path, content });
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
          {kind === "hook" && <HookSelect hook={hook} onChange={setHook} />}
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

function useMaking(configurationId: string, onMade: (path: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ path, content }: NewFile) => writeFile(configurationId, path, content, null),
    onSuccess: async (_, { path }) => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      onMade(path);
    },
  });
}

const HOOK_CHOICES = HOOKS.map(({ name, meaning }) => ({ value: name, label: `${name}: ${meaning.split(/[;.]/)[0]}` }));

function HookSelect({ hook, onChange }: { hook: string; onChange: (hook: string) => void }) {
  return (
    <NativeSelect
      label="Which hook"
      data={HOOK_CHOICES}
      value={hook}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
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
