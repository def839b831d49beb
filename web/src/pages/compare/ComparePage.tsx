import { Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowRight, CircleCheck, CirclePlus, Equal, SquarePen } from "lucide-react";
import { artifactQuery, runQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunBadge, SeverityBadge, ToneBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { compare, type Comparison } from "~/logic/compare";
import { count } from "~/logic/numbers";
import { FailurePanel } from "../run/FailurePanel";
import { useRunEvents } from "../run/useRunEvents";
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
  const error = first.error ?? second.error;
  if (error) return <ErrorPanel error={error} />;
  if (!first.data || !second.data) return <RowsSkeleton />;
  return (
    <Stack>
      <PageHead
        title="Before and after"
        note={
          first.data.document_name === second.data.document_name
            ? first.data.document_name
            : `${first.data.document_name} and ${second.data.document_name}`
        }
      >
        {second.data.is_test && (
          <Button
            component={Link}
            {...({
              to: "/configurations/$configurationId/edit",
              params: { configurationId: second.data.configuration_id },
              search: { document: second.data.input_document_id },
            } as object)}
            leftSection={<SquarePen size={16} />}
          >
            Open the draft
          </Button>
        )}
      </PageHead>
      <div className={classes.pair}>
        <RunCard title="Before" run={first.data} />
        <ArrowRight aria-hidden />
        <RunCard title="After" run={second.data} />
      </div>
      <Differences before={first.data} after={second.data} />
    </Stack>
  );
}

function RunCard({ title, run }: { title: string; run: Run }) {
  return (
    <Link to="/runs/$runId" params={{ runId: run.id }} className={`card ${classes.run}`}>
      <small>{title}</small>
      <strong>
        {run.configuration_name} · {run.is_test ? "draft" : `version ${run.version}`}
      </strong>
      <span>
        <RunBadge run={run} /> <Time at={run.created_at} />
      </span>
    </Link>
  );
}

function Differences({ before, after }: { before: Run; after: Run }) {
  const events = useRunEvents(after);
  const isReady = before.status === "succeeded" && after.status === "succeeded";
  const first = useQuery({ ...artifactQuery(before.id), enabled: isReady });
  const second = useQuery({ ...artifactQuery(after.id), enabled: isReady });
  if (after.status === "failed") return <FailurePanel run={after} events={events} />;
  if (!after.finished_at)
    return <Text c="dimmed">The run is on its way; the difference appears here when it has finished.</Text>;
  if (!isReady) return <Text c="dimmed">Only runs that succeeded can be compared.</Text>;
  const error = first.error ?? second.error;
  if (error) return <ErrorPanel error={error} />;
  if (!first.data || !second.data) return <RowsSkeleton />;
  return <Found comparison={compare(first.data, second.data)} />;
}

function Found({ comparison }: { comparison: Comparison }) {
  const { changedColumns, issues } = comparison;
  return (
    <>
      <div className={classes.figures}>
        <Figure label="Columns mapped" {...comparison.mapped} isMoreBetter />
        <Figure label="Issues" {...comparison.issueCount} />
        <Figure label="Rows written" {...comparison.rows} isMoreBetter />
        <Figure label="Values changed" {...comparison.valuesChanged} />
      </div>
      {changedColumns.length === 0 && issues.length === 0 ? (
        <div className="card">
          <Empty icon={<Equal aria-hidden />} title="Both decided the same">
            Every column became the same field, and the same issues were found.
          </Empty>
        </div>
      ) : (
        <Changes changedColumns={changedColumns} issues={issues} />
      )}
    </>
  );
}

function Changes({ changedColumns, issues }: Pick<Comparison, "changedColumns" | "issues">) {
  return (
    <>
      <Title order={2} size="h4" mt="sm">
        Mapping
      </Title>
      {changedColumns.length === 0 ? (
        <Text c="dimmed">Every column became the same field.</Text>
      ) : (
        <div className={`card ${classes.scroll}`} tabIndex={0} role="region" aria-label="Differences">
          <Table verticalSpacing="xs" horizontalSpacing="md" aria-label="Columns mapped differently">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Column</Table.Th>
                <Table.Th>Header</Table.Th>
                <Table.Th>Before</Table.Th>
                <Table.Th>After</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changedColumns.map((column) => (
                <Table.Tr key={column.place}>
                  <Table.Td className="mono">{column.place}</Table.Td>
                  <Table.Td>{column.header}</Table.Td>
                  <Table.Td className={classes.was}>{mapped(column.before, column.scoreBefore)}</Table.Td>
                  <Table.Td className={classes.is}>{mapped(column.after, column.scoreAfter)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <Title order={2} size="h4" mt="sm">
        Issues
      </Title>
      {issues.length === 0 ? (
        <Text c="dimmed">The same issues in both.</Text>
      ) : (
        <div className={`card ${classes.scroll}`} tabIndex={0} role="region" aria-label="Differences">
          <Table verticalSpacing="xs" horizontalSpacing="md" aria-label="Issues that differ">
            <Table.Tbody>
              {issues.slice(0, 500).map(({ kind, issue }) => (
                <Table.Tr key={`${kind} ${issue.sheet} ${issue.cell} ${issue.rule} ${issue.field}`}>
                  <Table.Td w={110}>
                    {kind === "solved" ? (
                      <ToneBadge label="Solved" tone="good" icon={CircleCheck} />
                    ) : (
                      <ToneBadge label="New" tone="warn" icon={CirclePlus} />
                    )}
                  </Table.Td>
                  <Table.Td w={110}>
                    <SeverityBadge severity={issue.severity} />
                  </Table.Td>
                  <Table.Td className="mono">{issue.cell ?? "table"}</Table.Td>
                  <Table.Td>{issue.field ?? "–"}</Table.Td>
                  <Table.Td>{issue.message}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </>
  );
}

function mapped(field: string | null, score: number | null): string {
  return field ? `${field}${score === null ? "" : ` (${score.toFixed(2)})`}` : "not mapped";
}

function Figure({
  label,
  before,
  after,
  isMoreBetter = false,
}: {
  label: string;
  before: number;
  after: number;
  isMoreBetter?: boolean;
}) {
  const step = after - before;
  const isBetter = isMoreBetter ? step > 0 : step < 0;
  return (
    <div className={`card ${classes.figure}`}>
      <small>{label}</small>
      <Group gap={8} className="num">
        <span>{count(before)}</span>
        <ArrowRight size={16} aria-label="then" />
        <strong>{count(after)}</strong>
        {step !== 0 && (
          <span data-better={isBetter}>
            {step > 0 ? "+" : "−"}
            {count(Math.abs(step))}
          </span>
        )}
      </Group>
    </div>
  );
}
