import { Button } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Ban, Workflow } from "lucide-react";
import { cancelPlan } from "~/api/actions";
import { onFirstClick } from "~/api/once";
import { plansQuery } from "~/api/queries";
import type { Plan } from "~/api/types";
import { Empty, errorOf, ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { RowLink } from "~/components/RowLink";
import { PriorityBadge, RunBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { counted } from "~/logic/numbers";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import classes from "./queue.module.css";

/** Runs that depend on each other: each phase starts when the one before it succeeded. */
export default function Plans() {
  const { workspace } = useWorkspace();
  const plans = useInfiniteQuery(plansQuery(workspace.id));
  const items = plans.data?.pages.flatMap((page) => page.items) ?? [];
  if (errorOf(plans)) return <ErrorPanel error={errorOf(plans)} onAgain={() => void plans.refetch()} />;
  if (plans.isPending) return <RowsSkeleton rows={6} />;
  if (items.length === 0)
    return (
      <div className="card">
        <Empty icon={<Workflow aria-hidden />} title="No plans yet">
          A plan is runs in phases, each with the output of the one before or a document of its own. Programs submit
          them through the API.
        </Empty>
      </div>
    );
  return (
    <>
      {items.map((plan) => (
        <PlanCard key={plan.id} plan={plan} />
      ))}
      {plans.hasNextPage && (
        <Button variant="default" loading={plans.isFetchingNextPage} onClick={() => void plans.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

function PlanCard({ plan }: { plan: Plan }) {
  return (
    <section className={`card ${classes.plan}`} aria-label={`Plan ${plan.id.slice(-12)}`}>
      <div className={classes.planHead}>
        <strong>
          Plan <span className="mono">{plan.id.slice(-12)}</span>: {plan.status}
        </strong>
        <PriorityBadge priority={plan.priority} />
        <span className={classes.secondary}>
          {counted(plan.runs.length, "phase")}, submitted <Time at={plan.created_at} />
          {plan.created_by && ` by ${plan.created_by}`}
        </span>
        {plan.finished_at === null && <CancelButton plan={plan} />}
      </div>
      <ol className={classes.phases} aria-label="Phases">
        {plan.runs.map((run) => (
          <li key={run.id}>
            <RowLink to="/runs" id={run.id}>
              {run.document_name}
            </RowLink>
            <span className={classes.secondary}>
              {run.configuration_name} · v{run.version}
            </span>
            <RunBadge run={run} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function CancelButton({ plan }: { plan: Plan }) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const cancel = useMutation({
    mutationFn: () => cancelPlan(plan.id),
    onError: showProblem,
    onSettled: () => Promise.all(["plans", "queue"].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Ban size={14} />}
      loading={cancel.isPending}
      disabled={forbidden !== null}
      title={forbidden ?? undefined}
      onClick={onFirstClick(() => cancel.mutate())}
    >
      Cancel
    </Button>
  );
}
