import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { correctDocument, correctFromNowOn, draftCorrections, type FromNowOn } from "~/api/corrections";
import { discardDraft, publishDraft } from "~/api/drafts";
import type { Manifest } from "~/api/manifest";
import { onFirstClick, useOnce } from "~/api/once";
import { configurationQuery, filesQuery } from "~/api/queries";
import type { Correction, Run, Version } from "~/api/types";
import { ErrorPanel, showDone, showProblem } from "~/components/feedback";
import { correctionWords, isOfOneDocument, noteWords } from "~/logic/corrections";
import { counted } from "~/logic/numbers";
import { havePassed } from "../workbench/CaseResults";
import { Cases, useTests } from "../workbench/PublishModal";
import { labelling } from "./labelling";
import { clearPending, subjectOf } from "./pending";
import classes from "./review.module.css";

interface Props {
  run: Run;
  corrections: readonly Correction[];
  manifest: Manifest | null;
  onClose: () => void;
}

/** A new version with these corrections: a note, the cases where there are some, and publishing in one place. */
export function FromNowOnModal({ run, corrections, manifest, onClose }: Props) {
  const [note, setNote] = useState(() => noteWords(corrections, run.document_name));
  const order = { run, corrections, undone: [], note };
  const finish = useFinish(run);
  const tested = useTestedDraft(order, finish);
  const hasCases = useHasCases(run);
  const once = useOnce(correctFromNowOn);
  const publish = useMutation({ mutationFn: () => once(order), onSuccess: finish });
  const error = publish.error ?? tested.error;
  return (
    <Modal opened onClose={onClose} size="lg" title="Correct from now on">
      <Stack>
        <Effect run={run} corrections={corrections} manifest={manifest} />
        <TextInput
          label="What is new"
          value={note}
          disabled={tested.draft !== null}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        {tested.draft && <Cases {...tested.cases} isUntested={tested.isUntested} onChoose={tested.setUntested} />}
        {error && <ErrorPanel error={error} />}
        <Buttons
          tested={tested}
          isBusy={publish.isPending || tested.isPending}
          hasCases={hasCases}
          onClose={onClose}
          onPublish={() => publish.mutate()}
        />
      </Stack>
    </Modal>
  );
}

interface ButtonsProps {
  tested: ReturnType<typeof useTestedDraft>;
  isBusy: boolean;
  hasCases: boolean | null;
  onClose: () => void;
  onPublish: () => void;
}

function Buttons({ tested, isBusy, hasCases, onClose, onPublish }: ButtonsProps) {
  const isToBeTested = hasCases === true && !tested.draft;
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        Not yet
      </Button>
      {isToBeTested ? (
        <Button loading={isBusy} onClick={onFirstClick(tested.start)}>
          Run the cases
        </Button>
      ) : (
        <Button
          loading={isBusy || hasCases === null}
          disabled={tested.draft !== null && !tested.mayPublish}
          onClick={onFirstClick(tested.draft ? tested.publish : onPublish)}
        >
          Publish
        </Button>
      )}
    </Group>
  );
}

function Effect({ run, corrections, manifest }: Omit<Props, "onClose">) {
  const labels = labelling(corrections, manifest);
  const ofRows = corrections.filter(isOfOneDocument).length;
  return (
    <>
      <Text size="sm">
        A new version of <strong>{run.configuration_name}</strong> is published with{" "}
        {counted(corrections.length - ofRows, "correction")}. New runs use it; runs that exist keep theirs.
      </Text>
      <ul className={classes.list}>
        {corrections
          .filter((one) => !isOfOneDocument(one))
          .map((one) => (
            <li key={subjectOf(one)}>{correctionWords(one, labels)}</li>
          ))}
      </ul>
      {ofRows > 0 && (
        <Text size="sm" c="dimmed">
          {counted(ofRows, "correction")} of rows {ofRows === 1 ? "holds" : "hold"} for this document alone: in the next
          one, rows stand elsewhere.
        </Text>
      )}
    </>
  );
}

/** Whether the configuration has cases; null while that is not known. */
function useHasCases(run: Run): boolean | null {
  const files = useQuery(filesQuery(run.configuration_id, null));
  if (files.error) return false; // the server refuses untested corrections by itself
  return files.data ? files.data.items.some(({ path }) => path.startsWith("tests/")) : null;
}

function useFinish(run: Run): (made: Run) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (made) => {
    await client.invalidateQueries({ queryKey: ["configurations"] });
    showDone(`Version ${made.version} is published`);
    await navigate({ to: "/runs/$runId", params: { runId: made.id }, search: { tab: "review" } });
    clearPending(run.id);
  };
}

/** A draft with the corrections, whose cases a worker runs before it is published. */
function useTestedDraft(order: FromNowOn, finish: (made: Run) => Promise<void>) {
  const { run } = order;
  const [draft, setDraft] = useState<Version | null>(null);
  const [isUntested, setUntested] = useState(false);
  const configuration = useQuery(configurationQuery(run.configuration_id)).data;
  const cases = useTests(run.configuration_id, draft !== null);
  const correctOnce = useOnce(correctDocument);
  const waste = useWaste(run.configuration_id);
  const start = useMutation({
    mutationFn: async () => {
      const made = await draftCorrections(order);
      waste.keep(made);
      setDraft(made); // also when its cases cannot be started: they are started again from here
      await cases.start.mutateAsync();
    },
  });
  const publish = useMutation({
    mutationFn: async () => {
      // A second try, after the document could not be run, finds no draft any longer.
      await waste.take(() => publishDraft(run.configuration_id, order.note, !havePassed(cases.tests)));
      return correctOnce(run, order.corrections.filter(isOfOneDocument));
    },
    onSuccess: finish,
  });
  return {
    draft,
    cases,
    isUntested,
    setUntested,
    mayPublish: configuration !== undefined && (havePassed(cases.tests) || isUntested),
    isPending: start.isPending || publish.isPending,
    error: start.error ?? publish.error,
    start: () => start.mutate(),
    publish: () => publish.mutate(),
  };
}

/** Discards a draft that nobody published when the dialog is gone, however that came and whatever was under way. */
function useWaste(configurationId: string) {
  const state = useRef<{ draft: Version | null; isGone: boolean }>({ draft: null, isGone: false });
  const [waste] = useState(() => {
    const discard = (): void => {
      const { draft, isGone } = state.current;
      if (!draft || !isGone) return;
      state.current.draft = null;
      discardDraft(configurationId, draft.number).catch(showProblem);
    };
    const keep = (draft: Version): void => {
      state.current.draft = draft;
      discard();
    };
    /** Have the draft, if there is one, published; it is only kept where that fails. */
    const take = async (publish: () => Promise<unknown>): Promise<void> => {
      const { draft } = state.current;
      state.current.draft = null;
      if (!draft) return;
      try {
        await publish();
      } catch (error) {
        keep(draft);
        throw error;
      }
    };
    return { keep, take, discard };
  });
  useEffect(() => {
    const held = state.current;
    held.isGone = false;
    return () => {
      held.isGone = true;
      waste.discard();
    };
  }, [waste]);
  return waste;
}
