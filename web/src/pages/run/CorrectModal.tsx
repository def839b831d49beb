import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ArtifactColumn } from "~/api/artifact";
import { correctColumn } from "~/api/drafts";
import type { Manifest } from "~/api/manifest";
import type { Run } from "~/api/types";
import { ErrorPanel } from "~/components/feedback";
import { fieldName } from "~/logic/correct";

const NEW = "(new)";

/** "This column is wrong": the right field, then a rule in a draft, a test run, and what it changes. */
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
  const [field, setField] = useState<string | null>(null);
  const [label, setLabel] = useState(column.header);
  const correct = useMutation({
    mutationFn: () =>
      correctColumn(run, {
        header: column.header,
        field: field === NEW ? { name: fieldName(label), label } : { name: field ?? "", file: fileOf(manifest, field) },
        isNew: field === NEW,
      }),
    onSuccess: (next) => void navigate({ to: "/compare", search: { before: run.id, after: next.id } }),
  });
  const fields = (manifest?.fields ?? []).filter((one) => one.name !== column.target);
  const choices = [
    ...fields.map((one) => ({ value: one.name, label: `${one.label} (${one.name})` })),
    { value: NEW, label: "A field of its own…" },
  ];
  return (
    <Modal opened onClose={onClose} title={`What is column ${column.source}?`}>
      <Stack>
        <Text size="sm">
          “{column.header || "no header"}” {column.target ? `became ${column.target}` : "was not mapped"}. Choose what
          it is: the header becomes one of that field&rsquo;s names in a draft of{" "}
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
          value={field}
          onChange={setField}
          disabled={!column.header}
        />
        {field === NEW && (
          <TextInput
            label="Its label"
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            description={`The field will be ${fieldName(label)}.`}
          />
        )}
        {correct.error && <ErrorPanel error={correct.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button disabled={!field || !column.header} loading={correct.isPending} onClick={() => correct.mutate()}>
            Add to a draft and test
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function fileOf(manifest: Manifest | null, field: string | null): string {
  return manifest?.fields.find((one) => one.name === field)?.file ?? `columns/${field}.py`;
}
