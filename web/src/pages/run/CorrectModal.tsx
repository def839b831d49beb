import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ArtifactColumn } from "~/api/artifact";
import { correctColumn } from "~/api/corrections";
import { labelOf, type Manifest } from "~/api/manifest";
import type { Run } from "~/api/types";
import { ErrorPanel } from "~/components/feedback";
import { fieldName, type Meaning } from "~/logic/correct";

const NEW = "(new)";
const IGNORE = "(ignore)";

interface Props {
  run: Run;
  column: ArtifactColumn;
  manifest: Manifest | null;
  onClose: () => void;
}

/** "This column is wrong": what it is, then a draft that says so, a test run, and what it changes. */
export function CorrectModal({ run, column, manifest, onClose }: Props) {
  const [choice, setChoice] = useState<string | null>(null);
  const [label, setLabel] = useState(column.header);
  const meaning: Meaning = choice === NEW ? { label } : choice === IGNORE ? "ignore" : { field: choice ?? "" };
  const correct = useCorrection(run, column);
  const isReady = choice !== null && column.header !== "" && (choice !== NEW || label.trim() !== "");
  return (
    <Modal opened onClose={onClose} title={`What is column ${column.source}?`}>
      <Stack>
        <Explained run={run} column={column} manifest={manifest} />
        <Select
          label="The right field"
          placeholder="Choose a field"
          searchable
          data={choicesOf(column, manifest)}
          value={choice}
          onChange={setChoice}
          disabled={!column.header}
          description={choice === IGNORE ? "Columns with this header will not be in the result." : undefined}
        />
        {choice === NEW && <LabelInput label={label} onChange={setLabel} />}
        {correct.error && <ErrorPanel error={correct.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button disabled={!isReady} loading={correct.isPending} onClick={() => correct.mutate(meaning)}>
            Add to a draft and test
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function stateOf(column: ArtifactColumn, manifest: Manifest | null): string {
  if (column.target) return `became ${labelOf(manifest, column.target)}`;
  return column.reason === "ignored" ? "was left out" : "was not mapped";
}

/** Writes what a column is into a draft, runs the document with it, and shows what that changes. */
export function useCorrection(run: Run, column: ArtifactColumn) {
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (meaning: Meaning) => correctColumn(run, column.header, meaning),
    onSuccess: async ({ run: next, file }) => {
      await navigate({ to: "/compare", search: { before: run.id, after: next.id, ...(file && { file }) } });
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["configurations"] }),
        client.invalidateQueries({ queryKey: ["configuration files"] }),
      ]),
  });
}

/** What the column can be said to be. */
function choicesOf(column: ArtifactColumn, manifest: Manifest | null): { value: string; label: string }[] {
  const fields = (manifest?.fields ?? []).filter((one) => one.name !== column.target);
  return [
    ...fields.map((one) => ({ value: one.name, label: `${one.label} (${one.name})` })),
    { value: NEW, label: "A new field…" },
    ...(column.reason === "ignored" ? [] : [{ value: IGNORE, label: "Not a field: leave it out" }]),
  ];
}

function Explained({ run, column, manifest }: Omit<Props, "onClose">) {
  return (
    <>
      <Text size="sm">
        “{column.header || "no header"}” {stateOf(column, manifest)}. Your choice is written into a draft of{" "}
        <strong>{run.configuration_name}</strong>, the document runs with the draft, and you see the difference. Nothing
        is published.
      </Text>
      {!column.header && (
        <Alert color="yellow">
          This column has no header, so a name cannot identify it. Write a rule in the workbench instead.
        </Alert>
      )}
    </>
  );
}

function LabelInput({ label, onChange }: { label: string; onChange: (label: string) => void }) {
  return (
    <TextInput
      label="Its label"
      value={label}
      onChange={(event) => onChange(event.currentTarget.value)}
      description={`The field will be called ${fieldName(label)}.`}
    />
  );
}
