import { Alert, Group, Select, Switch, Text } from "@mantine/core";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Artifact } from "~/api/artifact";
import type { Run } from "~/api/types";
import { ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { cellName, parseRange } from "~/logic/a1";
import type { OutputColumn, PairedCell } from "~/logic/changes";
import { leftOutWords, outputNumber, tablesOf, type PlacedTable } from "~/logic/explain";
import { counted } from "~/logic/numbers";
import { isLeftOut, MarksLegend, marksOf, Pager, SpokenMarks } from "./paired";
import classes from "./run.module.css";
import { usePairedRows, type PairedPage } from "./usePairedRows";

const route = getRouteApi("/runs/$runId");

/** What the document said and what the workbook says, row by row. */
export default function BeforeAfterTab({ run, artifact }: { run: Run; artifact: Artifact }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const tables = tablesOf(artifact);
  const place = Math.min(Number(search.table ?? 0) || 0, tables.length - 1);
  const chosen = tables[place];
  if (!chosen) return <Text c="dimmed">No table was found.</Text>;
  const keep = { tab: "changes", table: String(place) };
  return (
    <>
      <Group mb="sm">
        {tables.length > 1 && (
          <TableSelect
            tables={tables}
            place={place}
            onChange={(table) => void navigate({ search: { ...keep, table }, replace: true })}
          />
        )}
        <ChangedSwitch
          isOn={search.changed === "1"}
          onChange={(isOn) =>
            void navigate({ search: { ...keep, ...(isOn && { changed: "1" }) }, replace: true, resetScroll: false })
          }
        />
        <MarksLegend table={chosen.table}>
          <span data-kind="unmapped">not mapped</span>
          <span data-kind="skipped">left out</span>
        </MarksLegend>
      </Group>
      <Changes
        key={place}
        run={run}
        artifact={artifact}
        placed={chosen}
        outputSheet={outputNumber(artifact, chosen.table)}
        isChangedOnly={search.changed === "1"}
      />
    </>
  );
}

interface Shown {
  run: Run;
  artifact: Artifact;
  placed: PlacedTable;
  outputSheet: number;
  isChangedOnly: boolean;
}

function Changes({ run, artifact, placed, outputSheet, isChangedOnly }: Shown) {
  const { table } = placed;
  const [number, setNumber] = useState(0);
  const { page, error, sourceError } = usePairedRows(run, artifact, placed, outputSheet, number);
  if (error ?? sourceError) return <ErrorPanel error={error ?? sourceError} />;
  if (!page) return <RowsSkeleton rows={8} />;
  const visible = isChangedOnly ? page.items.filter((row) => !isLeftOut(row) && row.isChanged) : page.items;
  const leftOut = leftOutWords(table);
  return (
    <>
      {!page.isCompared && (
        <Alert color="yellow" mb="sm">
          The rows of the result cannot be matched with those of the document here, so only the result is shown.
        </Alert>
      )}
      {leftOut && (
        <Text size="sm" mb="xs">
          Left out of the result: {leftOut}.
        </Text>
      )}
      <div className={`card ${classes.scroll}`} tabIndex={0} role="region" aria-label="Rows">
        <PairTable run={run} placed={placed} columns={page.columns} rows={visible} />
        {visible.length === 0 && (
          <Text p="md" c="dimmed">
            No value of these rows changed.
          </Text>
        )}
      </div>
      <Pager page={page} number={number} total={table.rows.written} onChange={setNumber} />
    </>
  );
}

/** The name of a column in the result, where it is from, and what happened to its values. */
function ColumnTitle({ column, isNumeric }: { column: OutputColumn; isNumeric: boolean }) {
  const isUnmapped = column.field === null;
  const from = column.from === null ? "not in the document" : `from ${column.from}`;
  const changed = column.changed > 0 ? `, ${counted(column.changed, "value")} changed` : "";
  return (
    <th
      scope="col"
      data-unmapped={isUnmapped || undefined}
      data-type={isNumeric ? "number" : undefined}
      title={column.transform ? `changed by the rule ${column.transform}` : undefined}
    >
      {column.title}
      <small>{isUnmapped ? `${from}, not mapped` : `${from}${changed}`}</small>
    </th>
  );
}

function RowTitle({ run, placed, row }: { run: Run; placed: PlacedTable; row: number }) {
  const column = parseRange(placed.table.range)?.firstColumn ?? 1;
  return (
    <th scope="row">
      <Link
        className={`link num ${classes.rowLink}`}
        to="/documents/$documentId"
        params={{ documentId: run.input_document_id }}
        search={{ run: run.id, ...(placed.sheet && { sheet: placed.sheet }), cell: cellName({ row, column }) }}
      >
        {row}
      </Link>
    </th>
  );
}

function Pair({ cell, column }: { cell: PairedCell; column: OutputColumn | undefined }) {
  return (
    <td {...marksOf(cell)} data-unmapped={column?.field === null || undefined}>
      {!cell.isChanged ? (
        cell.after
      ) : cell.retyped ? (
        <>
          {cell.after} <span className={classes.retyped}>{cell.retyped}</span>
        </>
      ) : (
        <span className={classes.pair}>
          {cell.before && <del className={classes.was}>{cell.before}</del>}
          <ins className={classes.is} style={{ textDecoration: "none" }}>
            {cell.after || "(empty)"}
          </ins>
        </span>
      )}
      <SpokenMarks cell={cell} />
    </td>
  );
}

interface TableProps {
  run: Run;
  placed: PlacedTable;
  columns: OutputColumn[];
  rows: PairedPage["items"];
}

function PairTable({ run, placed, columns, rows }: TableProps) {
  return (
    <table className={classes.grid} aria-label="Before and after">
      <thead>
        <tr>
          <th scope="col">Row</th>
          {columns.map((column, place) => (
            <ColumnTitle key={column.title} column={column} isNumeric={isNumeric(rows, place)} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.sourceRow}>
            <RowTitle run={run} placed={placed} row={row.sourceRow} />
            {isLeftOut(row) ? (
              <td colSpan={columns.length} className={classes.leftOut}>
                {row.text} <em>({row.part} row, left out)</em>
              </td>
            ) : (
              row.cells.map((cell, index) => <Pair key={index} cell={cell} column={columns[index]} />)
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Whether all values of a column are numbers, so that its title is aligned with them. */
function isNumeric(rows: PairedPage["items"], place: number): boolean {
  const types = rows.flatMap((row) => (isLeftOut(row) ? [] : (row.cells[place]?.type ?? [])));
  return types.length > 0 && types.every((type) => type === "number");
}

interface SelectProps {
  tables: PlacedTable[];
  place: number;
  onChange: (table: string) => void;
}

function TableSelect({ tables, place, onChange }: SelectProps) {
  return (
    <Select
      size="xs"
      aria-label="Table"
      allowDeselect={false}
      data={tables.map(({ sheet, table }, index) => ({
        value: String(index),
        label: `${sheet ?? "document"} ${table.range}`,
      }))}
      value={String(place)}
      onChange={(value) => onChange(value ?? "0")}
    />
  );
}

function ChangedSwitch({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <Switch
      size="sm"
      label="Changed rows only"
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
