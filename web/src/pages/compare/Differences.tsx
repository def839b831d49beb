import { Group, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight, CircleCheck, CirclePlus, Equal } from "lucide-react";
import type { ArtifactColumn } from "~/api/artifact";
import { artifactQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { SeverityBadge, ToneBadge } from "~/components/status";
import { compare, type ColumnDifference, type Comparison, type Figure } from "~/logic/compare";
import { count } from "~/logic/numbers";
import { TableHead } from "~/components/TableHead";
import { FailurePanel } from "../run/FailurePanel";
import { useRunEvents } from "../run/useRunEvents";
import classes from "./ComparePage.module.css";

const MOST_SHOWN = 500;

/** What two runs decided differently, as soon as both have finished. */
export function Differences({ before, after }: { before: Run; after: Run }) {
  const events = useRunEvents(after);
  const isReady = before.status === "succeeded" && after.status === "succeeded";
  const first = useQuery({ ...artifactQuery(before.id), enabled: isReady });
  const second = useQuery({ ...artifactQuery(after.id), enabled: isReady });
  if (after.status === "failed") return <FailurePanel run={after} events={events} />;
  if (!after.finished_at)
    return <Text c="dimmed">The run is on its way; the difference appears here when it has finished.</Text>;
  if (!isReady) return <NotComparable before={before} after={after} />;
  const error = errorOf(first) ?? errorOf(second);
  if (error) return <ErrorPanel error={error} />;
  if (!first.data || !second.data) return <RowsSkeleton />;
  return <Found comparison={compare(first.data, second.data)} />;
}

/** One of the two has no result: say which, and lead to the other. */
function NotComparable({ before, after }: { before: Run; after: Run }) {
  const [without, other] = before.status === "succeeded" ? [after, before] : [before, after];
  return (
    <div className="card">
      <Empty
        icon={<Equal aria-hidden />}
        title="There is nothing to compare"
        action={
          other.status === "succeeded" && (
            <Link to="/runs/$runId" params={{ runId: other.id }} className="link">
              Open the other run
            </Link>
          )
        }
      >
        The {without === before ? "earlier" : "later"} run has no result: only runs that succeeded can be compared.
      </Empty>
    </div>
  );
}

function Found({ comparison }: { comparison: Comparison }) {
  const { changedColumns, issues } = comparison;
  return (
    <>
      <div className={classes.figures}>
        <FigureCard label="Columns mapped" figure={comparison.mapped} />
        <FigureCard label="Issues" figure={comparison.issueCount} />
        <FigureCard label="Rows written" figure={comparison.rows} />
        <FigureCard label="Values changed" figure={comparison.valuesChanged} />
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
        <ChangedColumns columns={changedColumns} />
      )}
      <Title order={2} size="h4" mt="sm">
        Issues
      </Title>
      {issues.length === 0 ? <Text c="dimmed">The same issues in both.</Text> : <ChangedIssues issues={issues} />}
    </>
  );
}

function placeOf({ sheet, place }: ColumnDifference): string {
  return sheet ? `${sheet}!${place}` : place;
}

function became(column: ArtifactColumn | null): string {
  if (!column) return "no such column";
  if (column.target) return column.score === null ? column.target : `${column.target} (${column.score.toFixed(2)})`;
  return column.reason === "ignored" ? "left out" : "not mapped";
}

function FigureCard({ label, figure: { before, after, isBetter } }: { label: string; figure: Figure }) {
  const step = after - before;
  return (
    <div className={`card ${classes.figure}`} role="group" aria-label={label}>
      <small>{label}</small>
      <Group gap={8} className="num">
        <span>{count(before)}</span>
        <ArrowRight size={16} aria-label="then" />
        <strong>{count(after)}</strong>
        {step !== 0 && (
          <span className={classes.step} data-better={isBetter ?? undefined}>
            {step > 0 ? "+" : "−"}
            {count(Math.abs(step))}
          </span>
        )}
      </Group>
    </div>
  );
}

function ChangedColumns({ columns }: { columns: Comparison["changedColumns"] }) {
  return (
    <div className={`card ${classes.scroll}`} tabIndex={0} role="region" aria-label="Differences">
      <Table verticalSpacing="xs" horizontalSpacing="md" aria-label="Columns mapped differently">
        <TableHead titles={["Column", "Header", "Earlier", "Later"]} />
        <Table.Tbody>
          {columns.map((column) => (
            <Table.Tr key={`${column.sheet} ${column.place} ${column.header} ${column.after === null}`}>
              <Table.Td className="mono">{placeOf(column)}</Table.Td>
              <Table.Td>
                {column.oldHeader !== null && <span className={classes.was}>{column.oldHeader || "no header"} → </span>}
                {column.header || "no header"}
              </Table.Td>
              <Table.Td className={classes.was}>{became(column.before)}</Table.Td>
              <Table.Td className={classes.is}>{became(column.after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function ChangedIssues({ issues }: Pick<Comparison, "issues">) {
  return (
    <div className={`card ${classes.scroll}`} tabIndex={0} role="region" aria-label="Differences">
      <Table verticalSpacing="xs" horizontalSpacing="md" aria-label="Issues that differ">
        <Table.Tbody>
          {issues.slice(0, MOST_SHOWN).map(({ kind, issue }) => (
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
      {issues.length > MOST_SHOWN && (
        <Text p="sm" c="dimmed">
          {count(issues.length - MOST_SHOWN)} more are not listed here.
        </Text>
      )}
    </div>
  );
}
