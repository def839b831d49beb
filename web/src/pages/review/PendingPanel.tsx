import { Button, Group, Loader, Text, Tooltip } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowRight, Undo2 } from "lucide-react";
import { useEffect, useState } from "react";
import { correctDocument } from "~/api/corrections";
import type { Manifest } from "~/api/manifest";
import { onFirstClick, useOnce } from "~/api/once";
import { ErrorPanel, showProblem } from "~/components/feedback";
import { RunBadge } from "~/components/status";
import { compare, type Figure } from "~/logic/compare";
import { correctionWords, isOfOneDocument, placesWords } from "~/logic/corrections";
import { count, counted } from "~/logic/numbers";
import { useForbidden } from "~/shell/workspace";
import { FromNowOnModal } from "./FromNowOnModal";
import { labelling } from "./labelling";
import { OwnCorrections } from "./OwnCorrections";
import { clearPending, removePending, subjectOf } from "./pending";
import classes from "./review.module.css";
import type { Review } from "./useReview";

interface Props {
  review: Review;
  manifest: Manifest | null;
}

/** The corrections that wait, what they change, and the two ways to finish. */
export function PendingPanel({ review, manifest }: Props) {
  const { run, pending } = review;
  return (
    <section className={`card ${classes.pending}`} aria-label="Corrections">
      <Standing review={review} />
      {pending.length > 0 && <Waiting review={review} manifest={manifest} />}
      {review.error && <ErrorPanel error={review.error} onAgain={review.again} />}
      {review.failure && (
        <Text size="sm" role="alert" className={classes.failure}>
          The result cannot be computed with these corrections: {review.failure}{" "}
          <Button size="compact-xs" variant="default" onClick={review.again}>
            Try again
          </Button>
        </Text>
      )}
      {pending.length > 0 && <Finish review={review} manifest={manifest} />}
      {pending.length === 0 && <OwnCorrections run={run} manifest={manifest} />}
    </section>
  );
}

/** What the corrections change of the verdict; without any it stands in the head of the page. */
function Standing({ review }: { review: Review }) {
  const { before, shown, isComputing, pending } = review;
  const isChanged = shown.run.id !== before.run.id;
  return (
    <div role="status" aria-live="polite" aria-busy={isComputing || undefined}>
      {(isChanged || isComputing) && (
        <Group gap="xs">
          <RunBadge run={before.run} />
          {isChanged && (
            <>
              <ArrowRight size={15} aria-label="becomes" />
              <RunBadge run={shown.run} />
            </>
          )}
          {isComputing && <Loader size={14} role="img" aria-label="The result is being computed" />}
        </Group>
      )}
      {isComputing && <LongWait />}
      {isChanged && (
        <Text size="sm" mt={4}>
          {shown.run.verdict_reason}
        </Text>
      )}
      {isChanged && <Changes review={review} />}
      {isChanged && review.isBehind && (
        <Text size="sm" fw={600}>
          Without your latest corrections{isComputing ? ", which are being computed." : "."}
        </Text>
      )}
      {pending.length === 0 && <Hint />}
    </div>
  );
}

const LONG_MS = 10_000;

/** What a result may be waiting for, once that takes long. */
function LongWait() {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLong) return null;
  return (
    <Text size="sm" c="dimmed" mt={4}>
      Still waiting for a worker: the{" "}
      <Link to="/queue" className="link">
        queue
      </Link>{" "}
      may be paused or busy. You can finish without this result.
    </Text>
  );
}

function Hint() {
  return (
    <Text size="sm" c="dimmed">
      Choose columns for fields, and correct values and rows. You see at once what it changes; nothing is kept until you
      finish.
    </Text>
  );
}

function Changes({ review: { before, shown } }: { review: Review }) {
  const { mapped, issueCount, rows } = compare(before.artifact, shown.artifact);
  return (
    <ul className={classes.changes} aria-label="What changes">
      <Change label="Columns mapped" figure={mapped} />
      <Change label="Issues" figure={issueCount} />
      <Change label="Rows" figure={rows} />
    </ul>
  );
}

function Change({ label, figure: { before, after } }: { label: string; figure: Figure }) {
  return (
    <li className="num">
      {label} {before === after ? count(after) : `${count(before)} → ${count(after)}`}
    </li>
  );
}

function Waiting({ review: { run, pending, isAsked, ask }, manifest }: Props) {
  const labels = labelling(pending, manifest);
  return (
    <>
      <Group justify="space-between" mt="sm">
        <Text size="sm" fw={600}>
          {counted(pending.length, "correction")}, not kept yet
        </Text>
        <Group gap={6}>
          {!isAsked && (
            <Button size="compact-sm" variant="light" onClick={ask}>
              Compute the result
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" onClick={() => clearPending(run.id)}>
            Undo all
          </Button>
        </Group>
      </Group>
      <ul className={classes.list} aria-label="Corrections that wait">
        {pending.map((one) => (
          <li key={subjectOf(one)}>
            <span>{correctionWords(one, labels)}</span>
            <Button
              size="compact-xs"
              variant="subtle"
              leftSection={<Undo2 size={13} />}
              aria-label={`Undo: ${correctionWords(one, labels)}`}
              onClick={() => removePending(run.id, one)}
            >
              Undo
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Finish({ review, manifest }: Props) {
  const [isOpen, setOpen] = useState(false);
  const forbidden = useForbidden("operator");
  const places = placesWords(review.pending);
  const ofRows = review.pending.every(isOfOneDocument) ? `Corrections of ${places} hold for one document only.` : null;
  const mayNotPublish = useForbidden("author") ?? ofRows;
  const only = useOnlyThisDocument(review);
  return (
    <Group gap="xs" mt="sm">
      <Tooltip label={forbidden ?? "A new run of this document; the configuration stays as it is"}>
        <Button
          variant="default"
          size="sm"
          disabled={forbidden !== null}
          loading={only.isPending}
          onClick={onFirstClick(() => only.mutate())}
        >
          Only this document
        </Button>
      </Tooltip>
      <Tooltip label={mayNotPublish ?? "A new version of the configuration, for this document and all to come"}>
        <Button size="sm" disabled={mayNotPublish !== null} onClick={() => setOpen(true)}>
          From now on…
        </Button>
      </Tooltip>
      {isOpen && (
        <FromNowOnModal
          run={review.run}
          corrections={review.pending}
          manifest={manifest}
          onClose={() => setOpen(false)}
        />
      )}
    </Group>
  );
}

function useOnlyThisDocument({ run, pending }: Review) {
  const navigate = useNavigate();
  const correctOnce = useOnce(correctDocument);
  return useMutation({
    mutationFn: () => correctOnce(run, pending),
    onSuccess: async (made) => {
      await navigate({ to: "/runs/$runId", params: { runId: made.id }, search: { tab: "review" } });
      clearPending(run.id);
    },
    onError: showProblem,
  });
}
