import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  Ban,
  Braces,
  Clipboard,
  Download,
  EllipsisVertical,
  FileSpreadsheet,
  FlaskConical,
  GitCompareArrows,
  RotateCw,
} from "lucide-react";
import { cancelRun, runAgain } from "~/api/actions";
import { addressOf, api } from "~/api/client";
import { onFirstClick, useOnce } from "~/api/once";
import { recentRunsQuery } from "~/api/queries";
import { queryClient } from "~/api/cache";
import type { Run } from "~/api/types";
import { BackLink } from "~/components/BackLink";
import { showDone, showProblem } from "~/components/feedback";
import { PageHead } from "~/components/PageHead";
import { Took } from "~/components/RunTable";
import { PriorityBadge, RunBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { useSaveCase } from "~/components/useSaveCase";
import { isOfDraft, runKind } from "~/logic/runs";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import classes from "./run.module.css";

/** The configuration, document and state of a run, and the actions on it. */
export function RunHead({ run }: { run: Run }) {
  return (
    <PageHead
      before={
        <div className={classes.kind}>
          <BackLink to="/runs" label="Runs" /> <span aria-hidden>/</span> <span>{runKind(run)}</span>{" "}
          <span className="mono">{run.id.slice(-12)}</span>
        </div>
      }
      title={
        <span className={classes.title}>
          {run.document_name} <RunBadge run={run} size="md" />
        </span>
      }
      note={
        <>
          {run.verdict_reason && <p className={classes.verdict}>{run.verdict_reason}</p>}
          <Facts run={run} />
        </>
      }
    >
      <Actions run={run} />
    </PageHead>
  );
}

function Facts({ run }: { run: Run }) {
  return (
    <span className={classes.facts}>
      <Link to="/configurations/$configurationId" params={{ configurationId: run.configuration_id }} className="link">
        {run.configuration_name} · {isOfDraft(run) ? "draft" : `version ${run.version}`}
      </Link>
      <span>
        submitted <Time at={run.created_at} />
        {run.submitted_by && ` by ${run.submitted_by}`}
      </span>
      {run.started_at && (
        <span>
          {run.finished_at ? "took" : "running for"} <Took run={run} />
        </span>
      )}
      {run.status === "queued" && (
        <>
          <PriorityBadge priority={run.priority} effective={run.effective_priority} />
          {run.position !== null && (
            <span>
              <Link to="/queue" className="link">
                #{run.position} in the queue
              </Link>
            </span>
          )}
        </>
      )}
    </span>
  );
}

function Actions({ run }: { run: Run }) {
  const forbidden = useForbidden("operator");
  const isOver = run.finished_at !== null;
  return (
    <>
      {!isOver && <CancelButton run={run} forbidden={forbidden} />}
      {isOver && !run.is_test && <AgainButton run={run} forbidden={forbidden} />}
      {run.status === "succeeded" && run.files_removed_at === null && (
        <Button component="a" href={addressOf(`/runs/${run.id}/output`)} download leftSection={<Download size={16} />}>
          Download
        </Button>
      )}
      <MoreMenu run={run} />
    </>
  );
}

function MoreMenu({ run }: { run: Run }) {
  const navigate = useNavigate();
  const compareWithEarlier = useComparison(run);
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More">
          <EllipsisVertical size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<FileSpreadsheet size={15} />}
          onClick={() =>
            void navigate({
              to: "/documents/$documentId",
              params: { documentId: run.input_document_id },
              search: { run: run.id },
            })
          }
        >
          Open the document
        </Menu.Item>
        {run.status === "succeeded" && (
          <Menu.Item leftSection={<GitCompareArrows size={15} />} onClick={() => void compareWithEarlier()}>
            Compare with the run before
          </Menu.Item>
        )}
        {run.status === "succeeded" && <CaseItem run={run} />}
        <Menu.Divider />
        <CopyItems run={run} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** Makes the document and its result a case of the draft. */
function CaseItem({ run }: { run: Run }) {
  const forbidden = useForbidden("author");
  const save = useSaveCase(run);
  return (
    <Menu.Item
      leftSection={<FlaskConical size={15} />}
      disabled={forbidden !== null || save.isPending}
      title={forbidden ?? undefined}
      onClick={() => save.mutate()}
    >
      Save as a case
    </Menu.Item>
  );
}

interface ActionProps {
  run: Run;
  forbidden: string | null;
}

function CancelButton({ run, forbidden }: ActionProps) {
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["runs"] }),
    onError: showProblem,
  });
  const isBeingCancelled = cancel.isPending || run.cancel_requested_at !== null;
  return (
    <Tooltip label={forbidden} disabled={!forbidden}>
      <Button
        variant="default"
        leftSection={<Ban size={16} />}
        loading={isBeingCancelled}
        disabled={forbidden !== null}
        onClick={onFirstClick(() => cancel.mutate())}
      >
        Cancel
      </Button>
    </Tooltip>
  );
}

function AgainButton({ run, forbidden }: ActionProps) {
  const navigate = useNavigate();
  const runOnceMore = useOnce(runAgain);
  const again = useMutation({
    mutationFn: () => runOnceMore(run.id),
    onSuccess: (next) => void navigate({ to: "/runs/$runId", params: { runId: next.id } }),
    onError: showProblem,
  });
  return (
    <Tooltip label={forbidden ?? "A new run of the same document with the published version"}>
      <Button
        variant="default"
        leftSection={<RotateCw size={16} />}
        loading={again.isPending}
        disabled={forbidden !== null}
        onClick={onFirstClick(() => again.mutate())}
      >
        Run again
      </Button>
    </Tooltip>
  );
}

function CopyItems({ run }: { run: Run }) {
  const copy = (words: string, what: string): void => {
    void navigator.clipboard.writeText(words).then(() => showDone(`${what} copied`));
  };
  return (
    <>
      <Menu.Item
        leftSection={<Clipboard size={15} />}
        onClick={() => copy(`curl '${location.origin}${addressOf(`/runs/${run.id}`)}'`, "Command")}
      >
        Copy as curl
      </Menu.Item>
      <Menu.Item
        leftSection={<Braces size={15} />}
        onClick={() => void api.get(`/runs/${run.id}`).then((found) => copy(JSON.stringify(found, null, 2), "JSON"))}
      >
        Copy as JSON
      </Menu.Item>
    </>
  );
}

/** Leads to the comparison with the run before, if there is one. */
function useComparison(run: Run): () => Promise<void> {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  return async () => {
    const filter = { document_id: run.input_document_id, status: "succeeded" };
    const found = await queryClient.fetchQuery(recentRunsQuery(workspace.id, filter, 50));
    const earlier = found.items.find((one) => one.created_at < run.created_at);
    if (earlier) void navigate({ to: "/compare", search: { before: earlier.id, after: run.id } });
    else showDone("This document has no earlier run that succeeded.");
  };
}
