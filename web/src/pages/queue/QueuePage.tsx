import { ActionIcon, Button, Code, SegmentedControl, Tabs, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Ban, CirclePause, ListOrdered, Loader as LoaderIcon, ServerOff } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { cancelRun } from "~/api/actions";
import { onFirstClick } from "~/api/once";
import { queueQuery } from "~/api/queries";
import type { Queue, Run } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton, showProblem, CardSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { Took } from "~/components/RunTable";
import { PriorityBadge } from "~/components/status";
import { useNow } from "~/components/Time";
import { count } from "~/logic/numbers";
import { duration, secondsBetween } from "~/logic/time";
import { useForbidden } from "~/shell/workspace";
import { load } from "~/shell/version";
import { PauseBanner } from "./PauseBanner";
import { PauseModal } from "./PauseModal";
import { QueueList } from "./QueueList";
import classes from "./queue.module.css";

const Analytics = lazy(() => load(() => import("./Analytics")));
const Plans = lazy(() => load(() => import("./Plans")));
const TABS = ["waiting", "plans", "analytics"];
const route = getRouteApi("/queue");

export default function QueuePage() {
  usePageTitle("Queue");
  const queue = useQuery(queueQuery);
  const [isPausing, setPausing] = useState(false);
  const forbidden = useForbidden("operator");
  return (
    <>
      <PageHead title="Queue" note="Running and waiting runs, in the order they will start">
        <Button
          variant="default"
          leftSection={<CirclePause size={16} />}
          disabled={forbidden !== null}
          title={forbidden ?? undefined}
          onClick={() => setPausing(true)}
        >
          Pause…
        </Button>
      </PageHead>
      {errorOf(queue) && <ErrorPanel error={errorOf(queue)} onAgain={() => void queue.refetch()} />}
      {queue.isPending && <CardSkeleton rows={9} />}
      {queue.data && (
        <>
          {queue.data.pauses.map((pause) => (
            <PauseBanner key={pause.id} pause={pause} />
          ))}
          {queue.data.capacity.worker_count === 0 && <NoWorker />}
          <Gauges queue={queue.data} />
          <QueueTabs queue={queue.data} />
        </>
      )}
      {isPausing && <PauseModal onClose={() => setPausing(false)} />}
    </>
  );
}

function NoWorker() {
  return (
    <div className={classes.pause} role="alert">
      <ServerOff size={18} aria-hidden />
      <span>
        <strong>No worker is running.</strong> Nothing starts until one is. On this machine or any other that reaches
        the database: <Code>ade worker</Code>
      </span>
    </div>
  );
}

function Gauges({ queue }: { queue: Queue }) {
  const now = useNow();
  const { capacity } = queue;
  const oldest = capacity.waiting_since;
  return (
    <div className={classes.gauges}>
      <SlotsGauge capacity={capacity} />
      <div className={`card ${classes.gauge}`}>
        <span>Waiting</span>
        <strong className="num">{count(capacity.queued_count)}</strong>
        <small>
          room for {count(Math.max(0, capacity.queue_size - capacity.queued_count - capacity.running_count))} more
        </small>
      </div>
      <div className={`card ${classes.gauge}`}>
        <span>Oldest wait</span>
        <strong className="num">{oldest ? duration(Math.max(0, secondsBetween(oldest, now))) : "–"}</strong>
        <small>
          {oldest ? "since it was submitted" : capacity.queued_count ? "nothing is due yet" : "nothing waits"}
        </small>
      </div>
      <div className={`card ${classes.gauge}`}>
        <span>Workers</span>
        <strong className="num">{count(capacity.worker_count)}</strong>
        <small>
          <Link to="/workers" className={`link ${classes.workers}`}>
            {capacity.running_count > 0 ? "at work" : "idle"}
          </Link>
        </small>
      </div>
    </div>
  );
}

function Running({ queue }: { queue: Queue }) {
  if (queue.running.length === 0) return null;
  return (
    <section aria-label="Running" className={classes.section}>
      <Title order={2} size="h5" mb={6}>
        Running
      </Title>
      <ul className={`card ${classes.list}`}>
        {queue.running.map((run) => (
          <li key={run.id} className={classes.runningRow}>
            <div className={classes.cells}>
              <span />
              <span />
              <span className={classes.spin}>
                <LoaderIcon size={16} aria-hidden />
              </span>
              <Link to="/runs/$runId" params={{ runId: run.id }} className={`link ${classes.name}`}>
                {run.document_name}
              </Link>
              <span className={classes.secondary}>
                {run.configuration_name} · {run.is_test ? "draft" : `v${run.version}`}
              </span>
              <span className={classes.priority}>
                <PriorityBadge priority={run.priority} effective={run.effective_priority} />
              </span>
              <span className={classes.reason}>
                {run.cancel_requested_at ? "Being cancelled" : "Running"} for <Took run={run} />
              </span>
              <span className={classes.start} />
              <span className={classes.secondary}>{run.submitted_by ?? ""}</span>
              <CancelButton run={run} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function CancelButton({ run }: { run: Run }) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const cancel = useMutation({
    mutationFn: () => cancelRun(run.id),
    onError: showProblem,
    onSettled: () => client.invalidateQueries({ queryKey: ["queue"] }),
  });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Cancel the run of ${run.document_name}`}
      title={forbidden ?? "Cancel this run"}
      disabled={forbidden !== null}
      loading={cancel.isPending || run.cancel_requested_at !== null}
      onClick={onFirstClick(() => cancel.mutate())}
    >
      <Ban size={16} aria-hidden />
    </ActionIcon>
  );
}

function Waiting({ queue }: { queue: Queue }) {
  if (queue.items.length === 0)
    return (
      <div className="card">
        <Empty icon={<ListOrdered aria-hidden />} title="Nothing waits">
          {queue.running.length
            ? "The running runs have the workers to themselves."
            : "Drop spreadsheets anywhere to start runs."}
        </Empty>
      </div>
    );
  return (
    <section aria-label="Waiting" className={classes.section}>
      <Title order={2} size="h5" mb={6}>
        Waiting
      </Title>
      <QueueList queue={queue} />
    </section>
  );
}

function AnalyticsPanel() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/queue" });
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="md"
        aria-label="Window"
        data={[
          { value: "24h", label: "24 hours" },
          { value: "7d", label: "7 days" },
          { value: "30d", label: "30 days" },
        ]}
        value={search.window ?? "24h"}
        onChange={(window) => void navigate({ search: { ...search, window }, replace: true })}
      />
      <Suspense fallback={<RowsSkeleton rows={8} />}>
        <Analytics window={search.window ?? "24h"} />
      </Suspense>
    </>
  );
}

function QueueTabs({ queue }: { queue: Queue }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/queue" });
  const tab = TABS.find((one) => one === search.tab) ?? "waiting";
  return (
    <Tabs
      value={tab}
      onChange={(value) => value && void navigate({ search: { ...search, tab: value }, replace: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="waiting">Now</Tabs.Tab>
        <Tabs.Tab value="plans">Plans</Tabs.Tab>
        <Tabs.Tab value="analytics">Analytics</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="waiting">
        <Running queue={queue} />
        <Waiting queue={queue} />
      </Tabs.Panel>
      <Tabs.Panel value="plans">
        <Suspense fallback={<RowsSkeleton rows={6} />}>
          <Plans />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="analytics">
        <AnalyticsPanel />
      </Tabs.Panel>
    </Tabs>
  );
}

function SlotsGauge({ capacity }: { capacity: Queue["capacity"] }) {
  const share = capacity.slots ? Math.min(1, capacity.running_count / capacity.slots) : 0;
  return (
    <div className={`card ${classes.gauge}`}>
      <span>Slots in use</span>
      <strong className="num">
        {count(capacity.running_count)} of {count(capacity.slots)}
      </strong>
      <div
        className={classes.track}
        role="meter"
        aria-label="Slots in use"
        aria-valuenow={capacity.running_count}
        aria-valuemin={0}
        aria-valuemax={capacity.slots}
      >
        <div style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
