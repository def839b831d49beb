import { Button, Group, SegmentedControl } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { GitCompareArrows, Play, X } from "lucide-react";
import { runsQuery, type RunFilter } from "~/api/queries";
import { Bulk } from "~/components/Bulk";
import { errorOf, Empty, ErrorPanel, CardSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunTable } from "~/components/RunTable";
import { Tick } from "~/components/Tick";
import { useWorkspace } from "~/shell/workspace";
import type { Run } from "~/api/types";
import { useTicks, type Ticks } from "~/components/useTicks";
import { CombineButton } from "./CombineButton";
import type { Column } from "~/components/VirtualTable";

const route = getRouteApi("/runs");
const STATUSES = [
  { value: "", label: "All" },
  { value: "queued", label: "Queued" },
  { value: "running", label: "Running" },
  { value: "ready", label: "Ready" },
  { value: "check", label: "Check" },
  { value: "not_usable", label: "Not usable" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Cancelled" },
];
const VERDICTS = ["ready", "check", "not_usable"];

export default function RunsPage() {
  usePageTitle("Runs");
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const runs = useInfiniteQuery(runsQuery(workspace.id, filterOf(search)));
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const ticks = useTicks(items.map((run) => run.id));
  const { chosen } = ticks;
  const finished = items.filter((run) => chosen.has(run.id) && run.finished_at);
  const open = items.filter((run) => chosen.has(run.id) && !run.finished_at);
  return (
    <>
      <PageHead title="Runs" note={noteOf(chosen.size, finished.length)}>
        <CombineButton workspaceId={workspace.id} finished={finished} hasOpen={open.length > 0} />
        <CompareButton finished={finished} hasOpen={open.length > 0} />
      </PageHead>
      <Filters search={search} />
      {open.length > 0 && <Bulk runIds={open.map((run) => run.id)} onDone={ticks.clear} />}
      {errorOf(runs) && <ErrorPanel error={errorOf(runs)} onAgain={() => void runs.refetch()} />}
      {runs.isPending && <CardSkeleton rows={10} />}
      {runs.data && items.length === 0 && <NoRuns search={search} />}
      {items.length > 0 && (
        <RunTable
          label="Runs"
          runs={items}
          lead={tickColumn(ticks)}
          onEnd={() => {
            if (runs.hasNextPage && !runs.isFetchingNextPage) void runs.fetchNextPage();
          }}
        />
      )}
    </>
  );
}

/** The filters that a link sets, in addition to the status. */
function narrowed(search: { only?: string; issues?: string }): string {
  const runs = search.only === "newest" ? "Only the newest run of each document" : "Only runs";
  return search.issues === "some" ? `${runs} with issues` : runs;
}

function tickColumn(ticks: Ticks): Column<Run> {
  return {
    id: "choose",
    header: (
      <Tick
        label="Choose all runs of this list"
        isTicked={ticks.isAll}
        isPartly={ticks.isPartly}
        onChange={ticks.toggleAll}
      />
    ),
    width: "44px",
    cell: (run) => (
      <Tick
        label={`Choose the run of ${run.document_name} to ${run.finished_at ? "compare" : "cancel"}`}
        isTicked={ticks.chosen.has(run.id)}
        onChange={(isShift) => ticks.toggle(run.id, isShift)}
      />
    ),
  };
}

function CompareButton({ finished, hasOpen }: { finished: Run[]; hasOpen: boolean }) {
  const navigate = useNavigate({ from: "/runs" });
  const isPair = finished.length === 2 && !hasOpen;
  const [before, after] = finished.map((run) => run.id).sort();
  return (
    <Button
      variant="default"
      leftSection={<GitCompareArrows size={16} />}
      disabled={!isPair}
      title={isPair ? undefined : "Choose two finished runs"}
      onClick={() => void navigate({ to: "/compare", search: { ...(before && { before }), ...(after && { after }) } })}
    >
      Compare
    </Button>
  );
}

function noteOf(chosenCount: number, finishedCount: number): string {
  return chosenCount === 1 && finishedCount === 1
    ? "Select one more to compare the two"
    : "Select two finished runs to compare them, or waiting runs to cancel them";
}

interface Search {
  status?: string;
  verdict?: string;
  document?: string;
  configuration?: string;
  only?: string;
  issues?: string;
}

function filterOf(search: Search): RunFilter {
  return {
    status: search.status,
    verdict: search.verdict,
    document_id: search.document,
    configuration_id: search.configuration,
    is_newest: search.only === "newest" || undefined,
    has_issues: search.issues === "some" || undefined,
  };
}

/** Narrows the list by status, and takes back what a link narrowed it to. */
function Filters({ search }: { search: Search }) {
  const navigate = useNavigate({ from: "/runs" });
  return (
    <Group mb="md" gap="sm">
      <SegmentedControl
        size="xs"
        aria-label="Status"
        className="scrolls"
        style={{ maxWidth: "100%" }}
        data={STATUSES}
        value={search.verdict ?? search.status ?? ""}
        onChange={(chosen) => {
          const isVerdict = VERDICTS.includes(chosen);
          const narrowed = { verdict: isVerdict ? chosen : undefined, status: (!isVerdict && chosen) || undefined };
          void navigate({ search: { ...search, ...narrowed } as typeof search, replace: true });
        }}
      />
      {(search.only === "newest" || search.issues === "some") && (
        <Button
          size="xs"
          variant="default"
          leftSection={<X size={14} />}
          onClick={() => void navigate({ search: { ...search, only: undefined, issues: undefined } as typeof search })}
        >
          {narrowed(search)}
        </Button>
      )}
      {(search.document || search.configuration) && (
        <Button size="xs" variant="default" leftSection={<X size={14} />} onClick={() => void navigate({ search: {} })}>
          Show all documents and configurations
        </Button>
      )}
    </Group>
  );
}

function NoRuns({ search }: { search: Search }) {
  const navigate = useNavigate({ from: "/runs" });
  const isNarrow = Object.keys(search).length > 0;
  return (
    <div className="card">
      <Empty
        icon={<Play aria-hidden />}
        title={search.status ? `No run is ${search.status}` : isNarrow ? "No run matches" : "No runs yet"}
        action={
          isNarrow && (
            <Button variant="default" mt="sm" onClick={() => void navigate({ search: {} })}>
              Show all runs
            </Button>
          )
        }
      >
        {isNarrow ? "Others may be." : "Drop a spreadsheet anywhere on this page to start the first one."}
      </Empty>
    </div>
  );
}
