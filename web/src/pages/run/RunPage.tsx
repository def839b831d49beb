import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Archive } from "lucide-react";
import { lazy, Suspense } from "react";
import { artifactQuery, runQuery } from "~/api/queries";
import type { Run, RunEvent } from "~/api/types";
import { BackLink } from "~/components/BackLink";
import { Empty, errorOf, ErrorPanel, PageProblem, RowsSkeleton } from "~/components/feedback";
import { usePageTitle } from "~/components/PageHead";
import { useInSight } from "~/components/useInSight";
import { issuesOf } from "~/logic/explain";
import { count } from "~/logic/numbers";
import { load } from "~/shell/version";
import type { Artifact } from "~/api/artifact";
import { FailurePanel } from "./FailurePanel";
import { ResultTab } from "./ResultTab";
import { RunHead } from "./RunHead";
import { Timeline } from "./Timeline";
import { WaitingPanel } from "./WaitingPanel";
import { useRunEvents } from "./useRunEvents";

const ExplanationTab = lazy(() => load(() => import("./ExplanationTab")));
const ReviewTab = lazy(() => load(() => import("../review/ReviewTab")));
const IssuesTab = lazy(() => load(() => import("./IssuesTab")));
const BeforeAfterTab = lazy(() => load(() => import("./BeforeAfterTab")));
const LogTab = lazy(() => load(() => import("./LogTab")));
const RowsBar = lazy(() => load(() => import("./RowsBar")));
const DetailsTab = lazy(() => load(() => import("./DetailsTab")));

// The first is shown when the address names none of them.
const TABS = ["result", "review", "explanation", "issues", "changes", "log", "details"] as const;
const OPEN_TABS = ["log", "details"] as const;
const REMOVED_TABS = ["details"] as const;
const route = getRouteApi("/runs/$runId");

export default function RunPage() {
  const { runId } = route.useParams();
  const run = useQuery(runQuery(runId));
  usePageTitle(run.data ? `Run of ${run.data.document_name}` : "Run");
  if (errorOf(run))
    return (
      <PageProblem
        error={errorOf(run)}
        onAgain={() => void run.refetch()}
        back={<BackLink to="/runs" label="All runs" />}
      />
    );
  if (!run.data) return <RunSkeleton />;
  return <RunView key={run.data.id} run={run.data} />;
}

function RunView({ run }: { run: Run }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const events = useRunEvents(run);
  const isRemoved = run.files_removed_at !== null;
  const isSucceeded = run.status === "succeeded" && !isRemoved;
  const artifact = useQuery({ ...artifactQuery(run.id), enabled: isSucceeded });
  const tabs = isRemoved ? REMOVED_TABS : isSucceeded ? TABS : OPEN_TABS;
  const tab = tabs.find((one) => one === search.tab) ?? tabs[0];
  return (
    <Stack gap="md">
      <RunHead run={run} />
      {!isRemoved && <Timeline run={run} events={events} />}
      {isRemoved && <FilesRemoved run={run} />}
      <StatePanel run={run} events={events} />
      <Tabs
        value={tab}
        onChange={(chosen) => chosen && void navigate({ search: { tab: chosen }, replace: true })}
        keepMounted={false}
      >
        <TabList tab={tab} isSucceeded={isSucceeded} isRemoved={isRemoved} artifact={artifact.data} />
        {errorOf(artifact) && <ErrorPanel error={errorOf(artifact)} onAgain={() => void artifact.refetch()} />}
        <Suspense fallback={<RowsSkeleton />}>
          <Tabs.Panel value="log">
            <LogTab run={run} events={events} />
          </Tabs.Panel>
          <Tabs.Panel value="details">
            <DetailsTab run={run} />
          </Tabs.Panel>
          {isSucceeded && artifact.isPending && tab !== "log" && tab !== "details" && <RowsSkeleton rows={8} />}
          {artifact.data && <ResultPanels run={run} artifact={artifact.data} />}
        </Suspense>
      </Tabs>
    </Stack>
  );
}

function RunSkeleton() {
  return (
    <Stack role="progressbar" aria-busy="true" aria-label="Loading">
      <Skeleton height={34} width="40%" />
      <Skeleton height={72} radius="md" />
      <Skeleton height={320} radius="md" />
    </Stack>
  );
}

interface TabsProps {
  tab: string;
  isSucceeded: boolean;
  isRemoved: boolean;
  artifact: Artifact | undefined;
}

function TabList({ tab, isSucceeded, isRemoved, artifact }: TabsProps) {
  const issueCount = artifact ? issuesOf(artifact).length : 0;
  const total = artifact?.summary.issues.total ?? issueCount;
  // Known with the artifact: the tabs before the open one may become wider by it.
  const row = useInSight<HTMLDivElement>(`${tab} ${total}`, "[data-active]");
  return (
    <Tabs.List ref={row} mb="md" className="scrolls" style={{ overflowX: "auto", flexWrap: "nowrap" }}>
      {isSucceeded && (
        <>
          <Tabs.Tab value="result">Result</Tabs.Tab>
          <Tabs.Tab value="review">Review</Tabs.Tab>
          <Tabs.Tab value="explanation">Explanation</Tabs.Tab>
          <Tabs.Tab value="issues">Issues{artifact ? ` (${count(total)})` : ""}</Tabs.Tab>
          <Tabs.Tab value="changes">Before/after</Tabs.Tab>
        </>
      )}
      {!isRemoved && <Tabs.Tab value="log">Log</Tabs.Tab>}
      <Tabs.Tab value="details">Details</Tabs.Tab>
    </Tabs.List>
  );
}

function ResultPanels({ run, artifact }: { run: Run; artifact: Artifact }) {
  return (
    <>
      <Tabs.Panel value="result">
        <ResultTab run={run} artifact={artifact} />
      </Tabs.Panel>
      <Tabs.Panel value="review">
        <ReviewTab run={run} artifact={artifact} />
      </Tabs.Panel>
      <Tabs.Panel value="explanation">
        <ExplanationTab run={run} artifact={artifact} />
      </Tabs.Panel>
      <Tabs.Panel value="issues">
        <IssuesTab run={run} artifact={artifact} />
      </Tabs.Panel>
      <Tabs.Panel value="changes">
        <BeforeAfterTab run={run} artifact={artifact} />
      </Tabs.Panel>
    </>
  );
}

function FilesRemoved({ run }: { run: Run }) {
  return (
    <Empty icon={<Archive aria-hidden />} title="Its files were removed">
      Retention removed the output, the explanation and the log on {run.files_removed_at?.slice(0, 10)}. The record of
      the run remains. Run it again to get new ones.
    </Empty>
  );
}

/** What matters most in the state the run is in. */
function StatePanel({ run, events }: { run: Run; events: RunEvent[] }) {
  if (run.status === "queued") return <WaitingPanel run={run} />;
  if (run.status === "failed") return <FailurePanel run={run} events={events} />;
  if (run.status !== "running") return null;
  return (
    <Suspense>
      <RowsBar run={run} events={events} />
    </Suspense>
  );
}
