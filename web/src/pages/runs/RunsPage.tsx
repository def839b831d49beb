import { Button, Checkbox, Group, SegmentedControl } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { GitCompareArrows, Play, X } from "lucide-react";
import { useState } from "react";
import { runsQuery } from "~/api/queries";
import { Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunTable } from "~/components/RunTable";
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
  const [chosen, setChosen] = useState<string[]>([]);
  const runs = useInfiniteQuery(
    runsQuery(workspace.id, {
      status: search.status,
      document_id: search.document,
      configuration_id: search.configuration,
    }),
  );
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const toggle = (id: string): void =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2));
  const [before, after] = [...chosen].sort();
  return (
    <>
      <PageHead title="Runs">
        <Button
          variant="default"
          leftSection={<GitCompareArrows size={16} />}
          disabled={chosen.length !== 2}
          title={chosen.length === 2 ? undefined : "Choose two finished runs"}
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
          data={STATUSES}
          value={search.status ?? ""}
          onChange={(status) =>
            void navigate({ search: { ...search, status: status || undefined } as typeof search, replace: true })
          }
        />
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
      {runs.error && <ErrorPanel error={runs.error} onAgain={() => void runs.refetch()} />}
      {runs.isPending && (
        <div className="card">
          <RowsSkeleton rows={10} />
        </div>
      )}
      {runs.data && items.length === 0 && (
        <div className="card">
          <Empty icon={<Play aria-hidden />} title="No runs here">
            {search.status ? "None has this status." : "Drop a spreadsheet anywhere to start the first one."}
          </Empty>
        </div>
      )}
      {items.length > 0 && (
        <RunTable
          label="Runs"
          runs={items}
          lead={{
            id: "choose",
            header: <span className="only-sr">Compare</span>,
            width: "44px",
            cell: (run) => (
              <Checkbox
                size="xs"
                aria-label={`Choose the run of ${run.document_name} to compare`}
                checked={chosen.includes(run.id)}
                disabled={!run.finished_at}
                onChange={() => toggle(run.id)}
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
