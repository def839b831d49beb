import { Button, Group, Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import type { Manifest } from "~/api/manifest";
import type { Run } from "~/api/types";
import { correctionWords } from "~/logic/corrections";
import { useForbidden } from "~/shell/workspace";
import { DeclineModal } from "../proposals/DeclineModal";
import { FromNowOnModal } from "./FromNowOnModal";
import { labelling } from "./labelling";
import { authorsOf, madeWith, withoutAuthor } from "./ownCorrections";
import { subjectOf } from "./pending";
import classes from "./review.module.css";

interface Props {
  run: Run;
  manifest: Manifest | null;
}

/** What was corrected for this document alone, and what an author says to it. */
export function OwnCorrections({ run, manifest }: Props) {
  const made = madeWith(run);
  if (made.length === 0) return null;
  const who = authorsOf(made);
  return (
    <>
      <Text size="sm" fw={600} mt="sm">
        Corrected for this document alone{who && ` by ${who}`}
      </Text>
      <ul className={classes.list}>
        {made.map((one) => (
          <li key={subjectOf(one)}>{correctionWords(one, labelling(made, manifest))}</li>
        ))}
      </ul>
      <ProposalWords run={run} />
      <ProposalButtons run={run} manifest={manifest} />
    </>
  );
}

/** What became of the corrections, for the operator who made them. */
export function ProposalWords({ run: { proposal } }: { run: Run }) {
  if (!proposal) return null;
  const { state, decided_by: who, note } = proposal;
  const said = state === "accepted" ? "Accepted: they apply from now on" : "Declined: they stay with this document";
  return (
    <Text size="sm" mb={6}>
      {state === "waiting" ? "They wait for an author, who can apply them from now on." : `${said}, says ${who}.`}
      {note && ` “${note}”`}
    </Text>
  );
}

/** The two answers of an author; without a proposal there is only one. */
export function ProposalButtons({ run, manifest }: Props) {
  const [opened, setOpened] = useState<"accept" | "decline" | null>(null);
  const close = (): void => setOpened(null);
  const isWaiting = run.proposal?.state === "waiting";
  const corrections = madeWith(run).map(withoutAuthor);
  return (
    <Group gap="xs">
      <Answer run={run} words="Apply from now on…" isFilled={isWaiting} onChoose={() => setOpened("accept")} />
      {isWaiting && <Answer run={run} words="Decline…" onChoose={() => setOpened("decline")} />}
      {opened === "accept" && (
        <FromNowOnModal run={run} corrections={corrections} manifest={manifest} isProposal onClose={close} />
      )}
      {opened === "decline" && <DeclineModal run={run} onClose={close} />}
    </Group>
  );
}

interface AnswerProps {
  run: Run;
  words: string;
  isFilled?: boolean;
  onChoose: () => void;
}

function Answer({ run, words, isFilled = false, onChoose }: AnswerProps) {
  const forbidden = useForbidden("author");
  return (
    <Tooltip label={forbidden} disabled={!forbidden}>
      <Button
        size="compact-sm"
        variant={isFilled ? "filled" : "default"}
        disabled={forbidden !== null}
        aria-label={`${words} corrections of ${run.document_name}`}
        onClick={onChoose}
      >
        {words}
      </Button>
    </Tooltip>
  );
}
