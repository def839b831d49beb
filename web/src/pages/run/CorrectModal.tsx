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

/** "This column is wrong": what it is, then a draft that says so, a test run, and what it changes. */
export function CorrectModal({
  run,
  column,
  manifest,
  onClose,
}: {
  run: Run;
  column: ArtifactColumn;
  manifest: Manifest | null;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [choice, setChoice] = useState<string | null>(null);
  const [label, setLabel] = useState(column.header);
  const meaning: Meaning = choice === NEW ? { label } : choice === IGNORE ? "ignore" : { field: choice ?? "" };
  const correct = useMutation({
    mutationFn: () => correctColumn(run, column.header, meaning),
    onSuccess: async ({ run: next, file }) => {
      await navigate({ to: "/compare", search: { before: run.id, after: next.id, ...(file && { file }) } });
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["configurations"] }),
        client.invalidateQueries({ queryKey: ["configuration files"] }),
      ]),
  });
  const fields = (manifest?.fields ?? []).filter((one) => one.name !== column.target);
  const choices = [
    ...fields.map((one) => ({ value: one.name, label: `${one.label} (${one.name})` })),
    { value: NEW, label: "A new field…" },
    ...(column.reason === "ignored" ? [] : [{ value: IGNORE, label: "Not a field: leave it out" }]),
  ];
  const isReady = choice !== null && column.header !== "" && (choice !== NEW || label.trim() !== "");
  return (
    <Modal opened onClose={onClose} title={`What is column ${column.source}?`}>
      <Stack>
        <Text size="sm">
          “{column.header || "no header"}” {stateOf(column, manifest)}. Your choice is written into a draft of{" "}
          <strong>{run.configuration_name}</strong>, the document runs with the draft, and you see the difference.
          Nothing is published.
        </Text>
        {!column.header && (
          <Alert color="yellow">
            This column has no header, so a name cannot tell it. Write a rule in the workbench instead.
          </Alert>
        )}
        <Select
          label="The right field"
          placeholder="Choose a field"
          searchable
          data={choices}
          value={choice}
          onChange={setChoice}
          disabled={!column.header}
          description={choice === IGNORE ? "Columns with this header will not be in the result." : undefined}
        />
        {choice === NEW && (
          <TextInput
            label="Its label"
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            description={`The field will be called ${fieldName(label)}.`}
          />
        )}
        {correct.error && <ErrorPanel error={correct.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button disabled={!isReady} loading={correct.isPending} onClick={() => correct.mutate()}>
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
