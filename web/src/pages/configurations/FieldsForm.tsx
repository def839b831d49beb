import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Code, Upload } from "lucide-react";
import { useState, type FormEvent } from "react";
import { submitRuns } from "~/api/actions";
import { createFromDocument, publishDraft } from "~/api/drafts";
import { useOnce } from "~/api/once";
import type { ChosenField, Document, InferredField, Run } from "~/api/types";
import { ErrorPanel, showDone, showProblem } from "~/components/feedback";
import {
  choicesOf,
  configurationName,
  fieldRows,
  labelProblem,
  nameProblem,
  type FieldRow,
} from "~/logic/inferredFields";
import { counted } from "~/logic/numbers";
import { NORMAL } from "~/logic/priority";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import { FieldTable } from "./FieldTable";

interface Props {
  document: Document;
  inferred: InferredField[];
}

/** The fields of the example, to adjust; and what becomes of them. */
export function FieldsForm({ document, inferred }: Props) {
  const [rows, setRows] = useState(() => fieldRows(inferred));
  const [name, setName] = useState(() => configurationName(document.name));
  const [isRunning, setRunning] = useState(true);
  const make = useMaking(document);
  const choices = choicesOf(rows);
  const isWrong = rows.some((row) => nameProblem(row, rows) !== null || labelProblem(row) !== null);
  const start = (then: Then): void => make.mutate({ name: name.trim(), fields: choices, then });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start(isRunning ? "run" : "publish");
  };
  return (
    <form onSubmit={submit} aria-label="Fields of the example">
      <Stack>
        <TextInput
          label="Name of the configuration"
          required
          maw={420}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FieldTable rows={rows} onChange={setRows} />
        {make.error && <ErrorPanel error={make.error} />}
        <Ending
          words={chosenWords(rows)}
          isRunning={isRunning}
          isBusy={make.isPending}
          isDisabled={isWrong || choices.length === 0 || name.trim() === ""}
          onRunning={setRunning}
          onCode={() => start("code")}
        />
      </Stack>
    </form>
  );
}

interface EndingProps {
  words: string;
  isRunning: boolean;
  isBusy: boolean;
  isDisabled: boolean;
  onRunning: (isRunning: boolean) => void;
  onCode: () => void;
}

/** What can be made of the fields. */
function Ending({ words, isRunning, isBusy, isDisabled, onRunning, onCode }: EndingProps) {
  const forbidden = useForbidden("author");
  const able = { disabled: isDisabled || isBusy || forbidden !== null, title: forbidden ?? undefined };
  return (
    <Group justify="flex-end" gap="md">
      <Text size="sm" c="dimmed" mr="auto" role="status">
        {words}
      </Text>
      <Checkbox
        label="Run the example with it"
        checked={isRunning}
        onChange={(event) => onRunning(event.currentTarget.checked)}
      />
      <Button variant="default" leftSection={<Code size={16} />} onClick={onCode} {...able}>
        Open as code
      </Button>
      <Button type="submit" leftSection={<Upload size={16} />} loading={isBusy} {...able}>
        Publish
      </Button>
    </Group>
  );
}

function chosenWords(rows: FieldRow[]): string {
  const chosen = rows.filter((row) => row.isChosen).length;
  return chosen === rows.length ? counted(chosen, "field") : `${chosen} of ${counted(rows.length, "field")}`;
}

/** What is made of the fields: a draft to edit, a published version, or also a run of the example. */
type Then = "code" | "publish" | "run";

interface Wanted {
  name: string;
  fields: ChosenField[];
  then: Then;
}

/** Makes the configuration and goes where it is; a draft that cannot be published is opened to see why. */
function useMaking(document: Document) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const submitOnce = useOnce(submitRuns);
  /** The run of the example; null when it could not be submitted, which changes nothing of what is published. */
  const submitted = async (configurationId: string): Promise<Run | null> => {
    try {
      const [made] = await submitOnce({ configurationId, documentIds: [document.id], priority: NORMAL });
      return made ?? null;
    } catch (error) {
      showProblem(error);
      return null;
    }
  };
  return useMutation({
    mutationFn: async ({ name, fields, then }: Wanted) => {
      const { id: configurationId } = await createFromDocument(workspace.id, name, document.id, fields);
      const params = { configurationId };
      const openDraft = (): void =>
        void navigate({ to: "/configurations/$configurationId/edit", params, search: { document: document.id } });
      await client.invalidateQueries({ queryKey: ["configurations"] });
      if (then === "code") return openDraft();
      try {
        await publishDraft(configurationId, `From ${document.name}`);
      } catch (error) {
        showProblem(error);
        return openDraft();
      }
      showDone(`${name} is published`);
      const made = then === "run" ? await submitted(configurationId) : null;
      if (made) void navigate({ to: "/runs/$runId", params: { runId: made.id } });
      else void navigate({ to: "/configurations/$configurationId", params });
    },
  });
}
