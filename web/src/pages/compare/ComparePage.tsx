import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowRight, Equal } from "lucide-react";
import { runQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { isOfDraft } from "~/logic/runs";
import { DraftActions } from "./DraftActions";
import { Differences } from "./Differences";
import classes from "./ComparePage.module.css";

const route = getRouteApi("/compare");

/** What two runs decided differently. */
export default function ComparePage() {
  usePageTitle("Compare");
  const { before, after } = route.useSearch();
  if (!before || !after)
    return (
      <Empty isPage icon={<Equal aria-hidden />} title="Two runs to compare">
        Tick two finished runs on the{" "}
        <Link to="/runs" className="link">
          runs
        </Link>{" "}
        page, then press Compare.
      </Empty>
    );
  return <Compared key={`${before} ${after}`} before={before} after={after} />;
}

function Compared({ before, after }: { before: string; after: string }) {
  const first = useQuery(runQuery(before));
  const second = useQuery(runQuery(after));
  const error = errorOf(first) ?? errorOf(second);
  const again = (): void => [first, second].forEach((one) => one.error && void one.refetch());
  if (error) return <ErrorPanel error={error} onAgain={again} />;
  if (!first.data || !second.data) return <RowsSkeleton />;
  const isNamed = first.data.document_name !== second.data.document_name;
  return (
    <Stack>
      <PageHead title="What changed" note={isNamed ? "Two documents" : first.data.document_name}>
        {isOfDraft(second.data) && <DraftActions after={second.data} />}
      </PageHead>
      <div className={classes.pair}>
        <RunCard title="Earlier run" run={first.data} isNamed={isNamed} />
        <ArrowRight aria-hidden />
        <RunCard title="Later run" run={second.data} isNamed={isNamed} />
      </div>
      <Differences before={first.data} after={second.data} />
    </Stack>
  );
}

function RunCard({ title, run, isNamed }: { title: string; run: Run; isNamed: boolean }) {
  return (
    <Link to="/runs/$runId" params={{ runId: run.id }} className={`card ${classes.run}`}>
      <small>{title}</small>
      {isNamed && <span>{run.document_name}</span>}
      <strong>
        {run.configuration_name} · {isOfDraft(run) ? `version ${run.version}, a draft` : `version ${run.version}`}
      </strong>
      <span>
        <RunBadge run={run} /> <Time at={run.created_at} />
      </span>
    </Link>
  );
}
