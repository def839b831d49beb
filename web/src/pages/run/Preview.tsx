import { Group, SegmentedControl, Select, Skeleton, Title } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Artifact } from "~/api/artifact";
import type { Run } from "~/api/types";
import type { OutputColumn, PairedRow } from "~/logic/changes";
import { outputNumber, tablesOf, type PlacedTable } from "~/logic/explain";
import { isLeftOut, MarksLegend, marksOf, Pager, SpokenMarks } from "./paired";
import classes from "./run.module.css";
import { usePairedRows } from "./usePairedRows";
import { WholeResult } from "./WholeResult";

const MOST_SEGMENTS = 6;
const route = getRouteApi("/runs/$runId");

/** The workbook that was written, with what was changed and what is wrong marked. */
export default function Preview({ run, artifact }: { run: Run; artifact: Artifact }) {
  const tables = tablesOf(artifact);
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const chosen = String(Math.min(Number(search.table ?? 0) || 0, tables.length - 1));
  // What was sorted and filtered is of the other table.
  const setChosen = (table: string): void =>
    void navigate({ search: { table, rows: search.rows }, replace: true, resetScroll: false });
  const placed = tables[Number(chosen)];
  const choices = tables.map(({ table }, index) => ({ value: String(index), label: table.output }));
  return (
    <section aria-label="Preview">
      <Group justify="space-between" mt="lg" mb="xs">
        <Group gap="md">
          <Title order={2} size="h4">
            The result
          </Title>
          {placed && <MarksLegend table={placed.table} />}
        </Group>
        {tables.length > 1 && tables.length <= MOST_SEGMENTS && (
          <SegmentedControl size="xs" aria-label="Table" value={chosen} onChange={setChosen} data={choices} />
        )}
        {tables.length > MOST_SEGMENTS && (
          <Select
            size="xs"
            aria-label="Table"
            searchable
            allowDeselect={false}
            value={chosen}
            onChange={(value) => setChosen(value ?? "0")}
            data={choices}
          />
        )}
      </Group>
      {placed && (
        <Shown
          key={chosen}
          run={run}
          artifact={artifact}
          placed={placed}
          outputSheet={outputNumber(artifact, placed.table)}
        />
      )}
    </section>
  );
}

const WAYS = [
  { value: "pages", label: "What changed" },
  { value: "all", label: "All rows" },
];

/** The first rows with what was changed, or all rows in one grid. */
function Shown(props: ShownProps) {
  const { table, rows } = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const way = rows === "all" ? "all" : "pages";
  const setWay = (next: string): void =>
    void navigate({ search: { table, rows: next === "all" ? next : undefined }, replace: true, resetScroll: false });
  return (
    <>
      <SegmentedControl size="xs" mb="xs" aria-label="How to show it" value={way} onChange={setWay} data={WAYS} />
      {way === "all" ? <WholeResult {...props} /> : <TablePreview {...props} />}
    </>
  );
}

export interface ShownProps {
  run: Run;
  artifact: Artifact;
  placed: PlacedTable;
  outputSheet: number;
}

function TablePreview({ run, artifact, placed, outputSheet }: ShownProps) {
  const [number, setNumber] = useState(0);
  const { page, error } = usePairedRows(run, artifact, placed, outputSheet, number);
  if (error) return null; // the workbook can still be downloaded
  if (!page) return <Skeleton height={240} radius="md" role="progressbar" aria-busy="true" aria-label="Loading" />;
  const rows = page.items.filter((item): item is PairedRow => !isLeftOut(item));
  return (
    <>
      <div className={`card ${classes.previewFrame}`} tabIndex={0} role="region" aria-label="Rows of the result">
        <ResultRows columns={page.columns} rows={rows} />
      </div>
      <Pager page={page} number={number} total={placed.table.rows.written} onChange={setNumber} />
    </>
  );
}

function ResultRows({ columns, rows }: { columns: OutputColumn[]; rows: PairedRow[] }) {
  const isNumeric = columns.map((_, place) => {
    const types = rows.map((row) => row.cells[place]?.type).filter(Boolean);
    return types.length > 0 && types.every((type) => type === "number");
  });
  return (
    <table className={classes.preview}>
      <thead>
        <tr>
          {columns.map((column, place) => (
            <th key={place} scope="col" data-type={isNumeric[place] ? "number" : undefined}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.sourceRow}>
            {row.cells.map((cell, place) => (
              <td key={place} {...marksOf(cell)}>
                {cell.after}
                <SpokenMarks cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
