import { Group, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight, CircleCheck, CirclePlus, Equal } from "lucide-react";
import type { ArtifactColumn } from "~/api/artifact";
import { labelOf, manifestOf, type Manifest } from "~/api/manifest";
import { artifactQuery, buildQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { SeverityBadge, ToneBadge } from "~/components/status";
import { compare, type ColumnDifference, type Comparison, type Figure, type IssueDifference } from "~/logic/compare";
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
  const fields = useFields(before, after);
  if (after.status === "failed") return <FailurePanel run={after} events={events} />;
  if (!after.finished_at)
    return <Text c="dimmed">The run has been submitted; the difference appears here when it has finished.</Text>;
  if (!isReady) return <NotComparable before={before} after={after} />;
  const error = errorOf(first) ?? errorOf(second);
  if (error) return <ErrorPanel error={error} />;
  if (!first.data || !second.data || !fields) return <RowsSkeleton />;
  return <Found comparison={compare(first.data, second.data)} fields={fields} />;
}

/** What the fields of the two runs are called, once that is known; a build that is gone leaves their ids. */
interface Fields {
  before: Manifest | null;
  after: Manifest | null;
}

function useFields(before: Run, after: Run): Fields | null {
  const first = useQuery(buildQuery(before.build_id));
  const second = useQuery(buildQuery(after.build_id));
  if (first.isPending || second.isPending) return null;
  return { before: manifestOf(first.data), after: manifestOf(second.data) };
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

interface FoundProps {
  comparison: Comparison;
  fields: Fields;
}

function Found({ comparison, fields }: FoundProps) {
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
            Every column was mapped to the same field, and the same issues were found.
          </Empty>
        </div>
      ) : (
        <Changes comparison={comparison} fields={fields} />
      )}
    </>
  );
}

function Changes({ comparison: { changedColumns, issues }, fields }: FoundProps) {
  return (
    <>
      <Title order={2} size="h4" mt="sm">
        Mapping
      </Title>
      {changedColumns.length === 0 ? (
        <Text c="dimmed">Every column was mapped to the same field.</Text>
      ) : (
        <ChangedColumns columns={changedColumns} fields={fields} />
      )}
      <Title order={2} size="h4" mt="sm">
        Issues
      </Title>
      {issues.length === 0 ? (
        <Text c="dimmed">The same issues in both.</Text>
      ) : (
        <ChangedIssues issues={issues} fields={fields} />
      )}
    </>
  );
}

function placeOf(sheet: string | null, place: string): string {
  return sheet ? `${sheet}!${place}` : place;
}

function became(column: ArtifactColumn | null, manifest: Manifest | null): string {
  if (!column) return "no such column";
  if (column.target) {
    const label = labelOf(manifest, column.target);
    return column.score === null ? label : `${label} (${column.score.toFixed(2)})`;
  }
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

function ChangedColumns({ columns, fields }: { columns: ColumnDifference[]; fields: Fields }) {
  return (
    <div className={`card scrolls ${classes.scroll}`} tabIndex={0} role="region" aria-label="Differences">
      <Table verticalSpacing="xs" horizontalSpacing="md" miw={620} aria-label="Columns mapped differently">
        <TableHead titles={["Column", "Header", "Earlier", "Later"]} />
        <Table.Tbody>
          {columns.map((column) => (
            <Table.Tr key={`${column.sheet} ${column.place} ${column.header} ${column.after === null}`}>
              <Table.Td className="mono">{placeOf(column.sheet, column.place)}</Table.Td>
              <Table.Td>
                {column.oldHeader !== null && <span className={classes.was}>{column.oldHeader || "no header"} → </span>}
                {column.header || "no header"}
              </Table.Td>
              <Table.Td className={classes.was}>{became(column.before, fields.before)}</Table.Td>
              <Table.Td className={classes.is}>{became(column.after, fields.after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function ChangedIssues({ issues, fields }: { issues: IssueDifference[]; fields: Fields }) {
  return (
    <div className={`card scrolls ${classes.scroll}`} tabIndex={0} role="region" aria-label="Differences">
      <Table verticalSpacing="xs" horizontalSpacing="md" miw={720} aria-label="Issues that differ">
        <TableHead titles={["Change", "Severity", "Cell", "Field", "What is wrong"]} />
        <Table.Tbody>
          {issues.slice(0, MOST_SHOWN).map(({ kind, issue }) => (
            <Table.Tr key={`${kind} ${issue.sheet} ${issue.cell} ${issue.rule} ${issue.field}`}>
              <Table.Td w={110}>
                {kind === "solved" ? (
                  <ToneBadge label="Solved" tone="quiet" icon={CircleCheck} />
                ) : (
                  <ToneBadge label="New" tone="warn" icon={CirclePlus} />
                )}
              </Table.Td>
              <Table.Td w={110}>
                <SeverityBadge severity={issue.severity} />
              </Table.Td>
              <Table.Td className="mono">{placeOf(issue.sheet, issue.cell ?? "table")}</Table.Td>
              <Table.Td>
                {issue.field ? labelOf(kind === "solved" ? fields.before : fields.after, issue.field) : "–"}
              </Table.Td>
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
