import { Button, Group, SegmentedControl } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { GitCompareArrows, Play, X } from "lucide-react";
import { useState } from "react";
import { runsQuery } from "~/api/queries";
import { Bulk } from "~/components/Bulk";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunTable } from "~/components/RunTable";
import { Tick } from "~/components/Tick";
import { ticked } from "~/logic/selection";
import { useWorkspace } from "~/shell/workspace";

const route = getRouteApi("/runs");
const STATUSES = [
  { value: "", label: "All" },
  { value: "queued", label: "Queued" },
  { value: "running", label: "Running" },
  { value: "succeeded", label: "Succeeded" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Cancelled" },
];

export default function RunsPage() {
  usePageTitle("Runs");
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs" });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const runs = useInfiniteQuery(
    runsQuery(workspace.id, {
      status: search.status,
      document_id: search.document,
      configuration_id: search.configuration,
      is_newest: search.only === "newest" || undefined,
      has_issues: search.issues === "some" || undefined,
    }),
  );
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const toggle = (id: string, isShift: boolean): void => {
    const ids = items.map((run) => run.id);
    setChosen(ticked(chosen, ids, isShift ? last : null, id));
    setLast(id);
  };
  const toggleAll = (): void => setChosen(new Set(chosen.size > 0 ? [] : items.map((run) => run.id)));
  const finished = items.filter((run) => chosen.has(run.id) && run.finished_at);
  const open = items.filter((run) => chosen.has(run.id) && !run.finished_at);
  const isPair = finished.length === 2 && open.length === 0;
  const [before, after] = finished.map((run) => run.id).sort();
  const isNarrow = Object.keys(search).length > 0;
  return (
    <>
      <PageHead
        title="Runs"
        note={
          chosen.size === 1 && finished.length === 1
            ? "Tick one more to compare the two"
            : "Tick two finished ones to compare them, or some that wait to cancel them"
        }
      >
        <Button
          variant="default"
          leftSection={<GitCompareArrows size={16} />}
          disabled={!isPair}
          title={isPair ? undefined : "Choose two finished runs"}
          onClick={() =>
            void navigate({ to: "/compare", search: { ...(before && { before }), ...(after && { after }) } })
          }
        >
          Compare
        </Button>
      </PageHead>
      <Group mb="md" gap="sm">
        <SegmentedControl
          size="xs"
          aria-label="Status"
          className="scrolls"
          style={{ maxWidth: "100%" }}
          data={STATUSES}
          value={search.status ?? ""}
          onChange={(status) =>
            void navigate({ search: { ...search, status: status || undefined } as typeof search, replace: true })
          }
        />
        {(search.only === "newest" || search.issues === "some") && (
          <Button
            size="xs"
            variant="default"
            leftSection={<X size={14} />}
            onClick={() =>
              void navigate({ search: { ...search, only: undefined, issues: undefined } as typeof search })
            }
          >
            {narrowed(search)}
          </Button>
        )}
        {(search.document || search.configuration) && (
          <Button
            size="xs"
            variant="default"
            leftSection={<X size={14} />}
            onClick={() => void navigate({ search: {} })}
          >
            Show all documents and configurations
          </Button>
        )}
      </Group>
      {open.length > 0 && <Bulk runIds={open.map((run) => run.id)} onDone={() => setChosen(new Set())} />}
      {errorOf(runs) && <ErrorPanel error={errorOf(runs)} onAgain={() => void runs.refetch()} />}
      {runs.isPending && (
        <div className="card">
          <RowsSkeleton rows={10} />
        </div>
      )}
      {runs.data && items.length === 0 && (
        <div className="card">
          <Empty
            icon={<Play aria-hidden />}
            title={search.status ? `No run is ${search.status}` : isNarrow ? "No run is like this" : "No runs yet"}
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
      )}
      {items.length > 0 && (
        <RunTable
          label="Runs"
          runs={items}
          lead={{
            id: "choose",
            header: (
              <Tick
                label="Choose all runs of this list"
                isTicked={chosen.size > 0 && items.every((run) => chosen.has(run.id))}
                isPartly={chosen.size > 0 && !items.every((run) => chosen.has(run.id))}
                onChange={toggleAll}
              />
            ),
            width: "44px",
            cell: (run) => (
              <Tick
                label={`Choose the run of ${run.document_name} to ${run.finished_at ? "compare" : "cancel"}`}
                isTicked={chosen.has(run.id)}
                onChange={(isShift) => toggle(run.id, isShift)}
              />
            ),
          }}
          onEnd={() => {
            if (runs.hasNextPage && !runs.isFetchingNextPage) void runs.fetchNextPage();
          }}
        />
      )}
    </>
  );
}

/** What the list is narrowed to by a link, beside its status. */
function narrowed(search: { only?: string; issues?: string }): string {
  const runs = search.only === "newest" ? "Only the newest run of each document" : "Only runs";
  return search.issues === "some" ? `${runs} with issues` : runs;
}
