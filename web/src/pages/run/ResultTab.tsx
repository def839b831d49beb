import { Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { Fragment, lazy } from "react";
import type { Artifact, Summary, ArtifactTable } from "~/api/artifact";
import { addressOf } from "~/api/client";
import type { Run } from "~/api/types";
import { SeverityBadge } from "~/components/status";
import { hiddenSheets, hiddenWords, leftOutCount, tablesOf, unmappedHeaders, unmappedWords } from "~/logic/explain";
import { count, counted } from "~/logic/numbers";
import { load } from "~/shell/version";
import classes from "./run.module.css";

const Preview = lazy(() => load(() => import("./Preview")));
const MOST_NAMED = 6;

/** What came out: the counts, the tables, and the files. */
export function ResultTab({ run, artifact }: { run: Run; artifact: Artifact }) {
  return (
    <>
      <Figures run={run} artifact={artifact} />
      <Group justify="space-between" mt="lg" mb="xs">
        <Title order={2} size="h4">
          Tables
        </Title>
        <Files run={run} artifact={artifact} />
      </Group>
      <SheetNotes artifact={artifact} />
      <TableList artifact={artifact} run={run} />
      <Unmapped artifact={artifact} run={run} />
      {tablesOf(artifact).length > 0 && <Preview run={run} artifact={artifact} />}
    </>
  );
}

function sheetsNote(summary: Summary): string {
  const { read, skipped } = summary.sheets;
  return `on ${counted(read, "sheet")}${skipped ? `, ${count(skipped)} not read` : ""}`;
}

/** What holds for whole sheets: issues of the reader, sheets without a table, and hidden ones that were not read. */
function SheetNotes({ artifact }: { artifact: Artifact }) {
  const issues = artifact.sheets.flatMap((sheet) => sheet.issues);
  const hidden = hiddenSheets(artifact);
  if (issues.length === 0 && !hidden) return null;
  return (
    <Stack gap={4} mb="sm" component="section" aria-label="Sheets">
      {issues.map((issue) => (
        <Group key={`${issue.sheet} ${issue.rule} ${issue.message}`} gap="xs" wrap="nowrap">
          <SeverityBadge severity={issue.severity} />
          <Text size="sm">
            {issue.sheet ?? "The document"}: {issue.message}
          </Text>
        </Group>
      ))}
      {hidden && <Text size="sm">{hidden}</Text>}
    </Stack>
  );
}

/** Columns nothing was known about, in which sheets they are, and where to say what they are. */
function Unmapped({ artifact, run }: { artifact: Artifact; run: Run }) {
  const found = unmappedHeaders(artifact);
  if (found.length === 0) return null;
  const isOneTable = tablesOf(artifact).length === 1;
  return (
    <Text size="sm" mt="sm" component="section" aria-label="Not mapped" data-prose>
      Not mapped, and kept as they are:{" "}
      {found.slice(0, MOST_NAMED).map(({ header, columns }, index) => (
        <Fragment key={header}>
          {index > 0 && (isOneTable ? ", " : "; ")}
          {isOneTable ? (
            <ColumnLink run={run} place={columns[0]?.place ?? ""} name={header} />
          ) : (
            <>
              {header} on{" "}
              {columns.slice(0, MOST_NAMED).map(({ place, table }, nth) => (
                <Fragment key={place}>
                  {nth > 0 && ", "}
                  <ColumnLink run={run} place={place} name={table} label={`${header} on ${table}`} />
                </Fragment>
              ))}
              {columns.length > MOST_NAMED && ` and ${count(columns.length - MOST_NAMED)} more`}
            </>
          )}
        </Fragment>
      ))}
      {found.length > MOST_NAMED && ` and ${count(found.length - MOST_NAMED)} more`}. Open one to see why, or to say
      what it is.
    </Text>
  );
}

function ColumnLink({ run, place, name, label }: { run: Run; place: string; name: string; label?: string }) {
  return (
    <Link
      className="link"
      to="/runs/$runId"
      params={{ runId: run.id }}
      search={{ tab: "explanation", column: place }}
      aria-label={label}
    >
      {name}
    </Link>
  );
}

/** No issues are no news: whether the result can be used is for the verdict to say. */
function toneOf({ issues }: Summary): "warn" | "bad" | undefined {
  if (issues.error > 0) return "bad";
  return issues.warning > 0 ? "warn" : undefined;
}

function Figure({
  label,
  value,
  note,
  tone,
  search,
  run,
}: {
  label: string;
  value: string;
  note: string;
  tone?: "warn" | "bad";
  search?: { tab: string };
  run?: Run;
}) {
  const content = (
    <>
      <span className={classes.figureLabel}>{label}</span>
      <span className={`num ${classes.figureValue}`} data-tone={tone}>
        {value}
      </span>
      <span className={classes.figureNote}>{note}</span>
    </>
  );
  if (!search || !run) return <div className={`card ${classes.figure}`}>{content}</div>;
  return (
    <Link to="/runs/$runId" params={{ runId: run.id }} search={search} className={`card ${classes.figure}`}>
      {content}
    </Link>
  );
}

function TableList({ artifact, run }: { artifact: Artifact; run: Run }) {
  const tables = tablesOf(artifact);
  if (tables.length === 0) return <NoTable runId={run.id} />;
  const isSplit = new Set(tables.map(({ table }) => table.file)).size > 1;
  return (
    <div className={`card scrolls ${classes.scroll}`}>
      <Table verticalSpacing="xs" horizontalSpacing="md" miw={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Sheet</Table.Th>
            <Table.Th>Found at</Table.Th>
            <Table.Th>Header</Table.Th>
            <Table.Th ta="right">Rows</Table.Th>
            <Table.Th ta="right">Columns mapped</Table.Th>
            <Table.Th ta="right">Issues</Table.Th>
            <Table.Th>Written to</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tables.map(({ sheet, sheetPosition, table }, index) => (
            <TableRow
              key={`${sheetPosition} ${table.range}`}
              run={run}
              sheet={sheet}
              table={table}
              number={index + 1}
              isSplit={isSplit}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function NoTable({ runId }: { runId: string }) {
  return (
    <Text c="dimmed">
      No table was found. The{" "}
      <Link className="link" to="/runs/$runId" params={{ runId: runId }} search={{ tab: "explanation" }}>
        explanation
      </Link>{" "}
      says why, sheet by sheet; in the{" "}
      <Link className="link" to="/runs/$runId" params={{ runId: runId }} search={{ tab: "review" }}>
        review
      </Link>{" "}
      you can say where a table is.
    </Text>
  );
}

function Figures({ run, artifact }: { run: Run; artifact: Artifact }) {
  const { summary } = artifact;
  const isAnyTable = summary.tables > 0;
  const leftOut = leftOutCount(artifact);
  return (
    <div className={classes.figures}>
      <Figure
        label="Rows written"
        value={count(summary.rows.written)}
        note={leftOut ? `${count(leftOut)} left out` : isAnyTable ? "none left out" : "no table was found"}
        {...(leftOut && { search: { tab: "explanation" }, run })}
      />
      <Figure label="Tables" value={count(summary.tables)} note={sheetsNote(summary)} />
      <Figure
        label="Columns mapped"
        value={isAnyTable ? `${count(summary.columns.mapped)} of ${count(summary.columns.total)}` : "–"}
        note={unmappedWords(artifact)}
        search={{ tab: "explanation" }}
        run={run}
      />
      <Figure
        label="Values changed"
        value={count(summary.values_changed)}
        note="by transforms"
        search={{ tab: "changes" }}
        run={run}
      />
      <Figure
        label="Issues"
        value={count(summary.issues.total)}
        note={`${counted(summary.issues.error, "error")}, ${counted(summary.issues.warning, "warning")}`}
        tone={toneOf(summary)}
        search={{ tab: "issues" }}
        run={run}
      />
    </div>
  );
}

function Files({ run, artifact }: { run: Run; artifact: Artifact }) {
  return (
    <Group gap="xs">
      <Button
        component="a"
        size="xs"
        variant="default"
        leftSection={<Download size={14} />}
        href={addressOf(`/runs/${run.id}/output`)}
        download
      >
        {tablesOf(artifact)[0]?.table.file?.endsWith(".xlsx") === false ? "First table" : "Workbook"}
      </Button>
      <Button
        component="a"
        size="xs"
        variant="default"
        leftSection={<Download size={14} />}
        href={addressOf(`/runs/${run.id}/artifact`)}
        download="artifact.json"
      >
        artifact.json
      </Button>
    </Group>
  );
}

function headerPlace({ header, transposed }: ArtifactTable): string {
  if (transposed?.is_turned) return `column ${transposed.header_columns.join(" and ")}`;
  return header.rows.length ? `row ${header.rows.join(" and ")}` : "none";
}

interface RowProps {
  run: Run;
  sheet: string | null;
  table: ArtifactTable;
  /** Its place in the result, from 1. */
  number: number;
  isSplit: boolean;
}

function TableRow({ run, sheet, table, number, isSplit }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td>{sheet ?? "the document"}</Table.Td>
      <Table.Td>
        <TablePlace run={run} sheet={sheet} range={table.range} />
      </Table.Td>
      <Table.Td>{headerPlace(table)}</Table.Td>
      <Table.Td ta="right" className="num">
        {count(table.rows.written)}
        {hiddenWords(table.hidden) && (
          <Text size="xs" c="dimmed">
            with {hiddenWords(table.hidden)}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right" className="num">
        {table.columns.filter((column) => column.target !== null).length} of {table.columns.length}
      </Table.Td>
      <Table.Td ta="right" className="num">
        {count(table.issue_counts.total)}
      </Table.Td>
      <Table.Td>
        {isSplit ? (
          <a className="link" href={addressOf(`/runs/${run.id}/output?table=${number}`)} download>
            {table.file}
          </a>
        ) : (
          table.output
        )}
      </Table.Td>
    </Table.Tr>
  );
}

interface PlaceProps {
  run: Run;
  sheet: string | null;
  range: string;
}

function TablePlace({ run, sheet, range }: PlaceProps) {
  return (
    <Link
      className="link mono"
      to="/documents/$documentId"
      params={{ documentId: run.input_document_id }}
      search={{ run: run.id, ...(sheet && { sheet }), cell: range.split(":")[0] ?? "A1" }}
    >
      {range}
    </Link>
  );
}
