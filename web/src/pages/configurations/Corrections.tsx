import { Button, Modal, Stack, Text, TextInput, Title, Tooltip } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { Undo2 } from "lucide-react";
import { useRef, useState } from "react";
import { draftWithout } from "~/api/corrections";
import { fileQuery, filesQuery } from "~/api/queries";
import type { Configuration } from "~/api/types";
import { errorOf, ErrorPanel, showDone } from "~/components/feedback";
import { Time } from "~/components/Time";
import { correctionWords } from "~/logic/corrections";
import { labelling } from "../review/labelling";
import type { Made } from "../review/ownCorrections";
import { Buttons } from "../review/FromNowOnModal";
import { subjectOf } from "../review/pending";
import { useHasCases, useTestedDraft } from "../review/useTestedDraft";
import { Cases } from "../workbench/PublishModal";
import classes from "./corrections.module.css";

const FILE = "corrections.json";

interface Props {
  configuration: Configuration;
  forbidden: string | null;
}

/** What people decided, as the published version has it: who, when, from which document, and how to take it back. */
export function Corrections({ configuration, forbidden }: Props) {
  const { id, published_version: version, draft_version: draft } = configuration;
  const [chosen, setChosen] = useState<Made | null>(null);
  const place = useScrolledTo("corrections");
  const { made, error } = useCorrections(id, version);
  if (error) return <ErrorPanel error={error} />;
  if (made.length === 0) return null;
  const hasDraft = draft === null ? null : "There is a draft. Publish or discard it first";
  const why = forbidden ?? hasDraft;
  return (
    <section id="corrections" aria-labelledby="corrections-title" ref={place} tabIndex={-1}>
      <Title order={2} size="h4" mb="sm" id="corrections-title">
        Corrections
      </Title>
      <ul className={`card ${classes.list}`}>
        {made.map((one) => (
          <OneCorrection key={one.id} one={one} made={made} why={why} onUndo={() => setChosen(one)} />
        ))}
      </ul>
      {chosen && <UndoModal configuration={configuration} one={chosen} made={made} onClose={() => setChosen(null)} />}
    </section>
  );
}

/** The corrections of a version, the latest first. */
function useCorrections(id: string, version: number | null): { made: Made[]; error: unknown } {
  const files = useQuery({ ...filesQuery(id, version), enabled: version !== null });
  const isThere = files.data?.items.some(({ path }) => path === FILE) ?? false;
  const text = useQuery({ ...fileQuery(id, FILE, version), enabled: isThere });
  const error = files.error && errorOf(files) ? files.error : text.error && errorOf(text) ? text.error : null;
  return { made: isThere && text.data !== undefined ? listed(text.data.text) : [], error };
}

function listed(text: string): Made[] {
  try {
    const found: unknown = (JSON.parse(text) as { corrections?: unknown }).corrections;
    return Array.isArray(found) ? (found as Made[]).toReversed() : [];
  } catch {
    return []; // the check of the configuration says what is wrong with it
  }
}

/** Shows a section that the address names, which is there only once it was loaded. */
function useScrolledTo(name: string) {
  const hash = useLocation({ select: (location) => location.hash });
  const isDone = useRef(false);
  return (section: HTMLElement | null): void => {
    if (!section || hash !== name || isDone.current) return;
    isDone.current = true;
    section.scrollIntoView();
    section.focus({ preventScroll: true });
  };
}

interface OneProps {
  one: Made;
  made: Made[];
  why: string | null;
  onUndo: () => void;
}

function OneCorrection({ one, made, why, onUndo }: OneProps) {
  const words = correctionWords(one, labelling(made, null));
  const isReplaced = made.find((other) => subjectOf(other) === subjectOf(one)) !== one;
  return (
    <li>
      <span>
        {words}
        <small>
          {one.by ?? "Somebody"}
          {one.at && (
            <>
              {" "}
              · <Time at={one.at} />
            </>
          )}
          {one.document && ` · from ${one.document}`}
          {isReplaced && " · replaced by a later one"}
        </small>
      </span>
      <Tooltip label={why} disabled={why === null}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Undo2 size={14} />}
          disabled={why !== null}
          aria-label={`Undo: ${words}`}
          onClick={onUndo}
        >
          Undo…
        </Button>
      </Tooltip>
    </li>
  );
}

interface UndoProps {
  configuration: Configuration;
  one: Made;
  made: Made[];
  onClose: () => void;
}

/** A new version without a correction: a note, the cases where there are some, and publishing in one place. */
function UndoModal({ configuration: { id, name }, one, made, onClose }: UndoProps) {
  const words = correctionWords(one, labelling(made, null));
  const [note, setNote] = useState(`Without: ${one.kind === "value" ? `a value of ${one.field}` : words}`);
  const hasCases = useHasCases(id);
  const tested = useUndoing(id, one, note, onClose);
  return (
    <Modal opened onClose={onClose} size="lg" title="Undo a correction">
      <Stack>
        <Text size="sm">
          A new version of <strong>{name}</strong> is published without: {words}. What it replaced holds again. Runs
          that exist keep their results.
        </Text>
        <TextInput
          label="What is new"
          value={note}
          disabled={tested.draft !== null}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        {hasCases && tested.draft && (
          <Cases {...tested.cases} isUntested={tested.isUntested} onChoose={tested.setUntested} />
        )}
        {tested.error && <ErrorPanel error={tested.error} />}
        <Buttons
          tested={tested}
          isBusy={tested.isPending}
          hasCases={hasCases}
          onClose={onClose}
          onPublish={tested.publishAtOnce}
        />
      </Stack>
    </Modal>
  );
}

function useUndoing(id: string, one: Made, note: string, onDone: () => void) {
  const client = useQueryClient();
  return useTestedDraft({
    configurationId: id,
    note,
    begin: () => draftWithout(id, [one.id], note),
    follow: () => Promise.resolve(),
    finish: async () => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      showDone("The correction was undone");
      onDone();
    },
  });
}
