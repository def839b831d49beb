import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { correctDocument, correctFromNowOn, decideProposal, draftCorrections, type FromNowOn } from "~/api/corrections";
import type { Manifest } from "~/api/manifest";
import { onFirstClick, useOnce } from "~/api/once";
import type { Correction, Run } from "~/api/types";
import { ErrorPanel, showDone } from "~/components/feedback";
import { correctionWords, isOfOneDocument, noteWords, placesWords } from "~/logic/corrections";
import { counted } from "~/logic/numbers";
import { Cases } from "../workbench/PublishModal";
import { labelling } from "./labelling";
import { clearPending, subjectOf } from "./pending";
import classes from "./review.module.css";
import { useHasCases, useTestedDraft, type TestedDraft } from "./useTestedDraft";

interface Props {
  run: Run;
  corrections: readonly Correction[];
  manifest: Manifest | null;
  /** Whether they are those that an operator proposed with the run. */
  isProposal?: boolean;
  onClose: () => void;
}

/** A new version with these corrections: a note, the cases where there are some, and publishing in one place. */
export function FromNowOnModal({ run, corrections, manifest, isProposal = false, onClose }: Props) {
  const [note, setNote] = useState(() => noteWords(corrections, run.document_name));
  const accepts = isProposal && run.proposal?.state === "waiting";
  const order = { run, corrections, undone: [], note, accepts };
  const finish = useFinish(run);
  const tested = useTestedCorrections(order, finish);
  const hasCases = useHasCases(run.configuration_id);
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
  tested: TestedDraft;
  isBusy: boolean;
  hasCases: boolean | null;
  onClose: () => void;
  onPublish: () => void;
}

export function Buttons({ tested, isBusy, hasCases, onClose, onPublish }: ButtonsProps) {
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

function Effect({ run, corrections, manifest }: Omit<Props, "onClose" | "isProposal">) {
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
          {counted(ofRows, "correction")} of {placesWords(corrections)} {ofRows === 1 ? "holds" : "hold"} for this
          document alone: these cells hold something else in the next one.
        </Text>
      )}
    </>
  );
}

function useFinish(run: Run): (made: Run) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (made) => {
    await client.invalidateQueries({ queryKey: ["configurations"] });
    await client.invalidateQueries({ queryKey: ["runs"] });
    showDone(`Version ${made.version} is published`);
    await navigate({ to: "/runs/$runId", params: { runId: made.id }, search: { tab: "review" } });
    clearPending(run.id);
  };
}

/** A draft with the corrections, and the run of the document once it is published. */
function useTestedCorrections(order: FromNowOn, finish: (made: Run) => Promise<void>) {
  const { run, accepts, note } = order;
  const correctOnce = useOnce(correctDocument);
  const isAccepted = useRef(false); // a second try, after the document could not be run
  return useTestedDraft({
    configurationId: run.configuration_id,
    note,
    begin: () => draftCorrections(order),
    follow: async () => {
      if (accepts && !isAccepted.current) await decideProposal(run.id, "accepted", note);
      isAccepted.current = true;
      return correctOnce(run, order.corrections.filter(isOfOneDocument));
    },
    finish,
  });
}
