import { Button, Group, SegmentedControl, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowRight, Inbox } from "lucide-react";
import { proposalsQuery } from "~/api/queries";
import type { Proposal, ProposalState } from "~/api/types";
import { BackLink } from "~/components/BackLink";
import { CardSkeleton, Empty, errorOf, ErrorPanel } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { correctionWords } from "~/logic/corrections";
import { useWorkspace } from "~/shell/workspace";
import { labelling } from "../review/labelling";
import { ProposalButtons, ProposalWords } from "../review/OwnCorrections";
import { authorsOf, madeWith } from "../review/ownCorrections";
import { subjectOf } from "../review/pending";
import classes from "./proposals.module.css";

const route = getRouteApi("/proposals");
const STATES: { value: ProposalState; label: string }[] = [
  { value: "waiting", label: "Waiting" },
  { value: "accepted", label: "Accepted" },
  { value: "declined", label: "Declined" },
];
const NOTHING: Record<ProposalState, string> = {
  waiting: "No corrections wait",
  accepted: "Nothing was accepted yet",
  declined: "Nothing was declined yet",
};

/** What operators corrected for one document, by configuration, for authors to accept or decline. */
export default function ProposalsPage() {
  usePageTitle("Proposals");
  const { workspace } = useWorkspace();
  const navigate = useNavigate({ from: "/proposals" });
  const { state: wanted, configuration } = route.useSearch();
  const state = STATES.find(({ value }) => value === wanted)?.value ?? "waiting";
  const proposals = useInfiniteQuery(proposalsQuery(workspace.id, state, configuration));
  const items = proposals.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <PageHead
        before={<BackLink to="/configurations" label="Configurations" />}
        title="Proposals"
        note="Corrections that operators made for one document, and that an author can apply from now on"
      >
        <SegmentedControl
          aria-label="State"
          data={STATES}
          value={state}
          onChange={(chosen) => void navigate({ search: (now) => ({ ...now, state: chosen }), replace: true })}
        />
      </PageHead>
      {errorOf(proposals) && <ErrorPanel error={errorOf(proposals)} onAgain={() => void proposals.refetch()} />}
      {proposals.isPending && <CardSkeleton />}
      {proposals.data && items.length === 0 && <Nothing title={NOTHING[state]} />}
      {byConfiguration(items).map((of) => (
        <OfConfiguration key={of[0]?.run.configuration_id} proposals={of} />
      ))}
      {proposals.hasNextPage && (
        <Button variant="default" loading={proposals.isFetchingNextPage} onClick={() => void proposals.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

function Nothing({ title }: { title: string }) {
  return (
    <div className="card">
      <Empty icon={<Inbox aria-hidden />} title={title}>
        When an operator corrects a document in its review, the corrections appear here.
      </Empty>
    </div>
  );
}

function byConfiguration(proposals: Proposal[]): Proposal[][] {
  const found = new Map<string, Proposal[]>();
  for (const one of proposals)
    found.set(one.run.configuration_id, [...(found.get(one.run.configuration_id) ?? []), one]);
  return [...found.values()];
}

function OfConfiguration({ proposals }: { proposals: Proposal[] }) {
  const run = proposals[0]?.run;
  if (!run) return null;
  return (
    <section aria-label={run.configuration_name}>
      <Title order={2} size="h4" mb="sm">
        <Link to="/configurations/$configurationId" params={{ configurationId: run.configuration_id }} className="link">
          {run.configuration_name}
        </Link>
      </Title>
      <ul className={`card ${classes.list}`} style={{ marginBottom: 20 }}>
        {proposals.map((one) => (
          <OneProposal key={one.run.id} proposal={one} />
        ))}
      </ul>
    </section>
  );
}

function OneProposal({ proposal: { run, before } }: { proposal: Proposal }) {
  const made = madeWith(run);
  return (
    <li className={classes.proposal}>
      <Group justify="space-between" gap="xs">
        <Link to="/runs/$runId" params={{ runId: run.id }} search={{ tab: "review" }} className="link">
          {run.document_name}
        </Link>
        <Group gap="xs">
          {before?.verdict && (
            <>
              <RunBadge run={{ status: "succeeded", ...before }} />
              <ArrowRight size={15} aria-label="becomes" />
            </>
          )}
          <RunBadge run={run} />
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        {authorsOf(made)} · <Time at={run.created_at} />
      </Text>
      <ul className={classes.corrections}>
        {made.map((one) => (
          <li key={subjectOf(one)}>{correctionWords(one, labelling(made, null))}</li>
        ))}
      </ul>
      {run.proposal?.state !== "waiting" && <ProposalWords run={run} />}
      {run.proposal?.state === "waiting" && <ProposalButtons run={run} manifest={null} />}
    </li>
  );
}
