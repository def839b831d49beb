import { Button, Group, Select, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Artifact } from "~/api/artifact";
import { manifestOf } from "~/api/manifest";
import { buildQuery, cellsQuery, documentQuery, outputCellsQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { errorOf, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { cellName, columnLetters, parseRange, rangeName } from "~/logic/a1";
import { cellText, outputColumns, pairRows } from "~/logic/changes";
import { dataRows, tablesOf, type PlacedTable } from "~/logic/explain";
import { count } from "~/logic/numbers";
import classes from "./run.module.css";

const route = getRouteApi("/runs/$runId");
const ROWS = 100;

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
          <Select
            size="xs"
            aria-label="Table"
            allowDeselect={false}
            data={tables.map(({ sheet, table }, index) => ({
              value: String(index),
              label: `${sheet ?? "document"} ${table.range}`,
            }))}
            value={String(place)}
            onChange={(value) => void navigate({ search: { ...keep, table: value ?? "0" }, replace: true })}
          />
        )}
        <Switch
          size="sm"
          label="Changed rows only"
          checked={search.changed === "1"}
          onChange={(event) =>
            void navigate({
              search: { ...keep, ...(event.currentTarget.checked && { changed: "1" }) },
              replace: true,
              resetScroll: false,
            })
          }
        />
      </Group>
      <Changes key={place} run={run} placed={chosen} outputSheet={place} isChangedOnly={search.changed === "1"} />
    </>
  );
}

function Changes({
  run,
  placed,
  outputSheet,
  isChangedOnly,
}: {
  run: Run;
  placed: PlacedTable;
  outputSheet: number;
  isChangedOnly: boolean;
}) {
  const { table, sheet } = placed;
  const [page, setPage] = useState(0);
  const manifest = manifestOf(useQuery(buildQuery(run.build_id)).data);
  const document = useQuery(documentQuery(run.input_document_id));
  const rows = dataRows(table);
  const shown = rows.slice(page * ROWS, (page + 1) * ROWS);
  const range = parseRange(table.range);
  const sheetIndex = document.data?.sheets.find((one) => one.name === sheet)?.index ?? 0;
  const sourceRange =
    range && shown.length ? rangeName({ ...range, firstRow: shown[0] ?? 1, lastRow: shown.at(-1) ?? 1 }) : "A1:A1";
  const firstOutputRow = 2 + page * ROWS;
  const lastLetter = columnLetters(table.columns.length + Object.keys(table.transform).length + 4);
  // The first rows come with the titles, so that the common case asks once.
  const titles = useQuery(outputCellsQuery(run.id, outputSheet, `A1:${lastLetter}${ROWS + 1}`));
  const source = useQuery({
    ...cellsQuery(`/documents/${run.input_document_id}`, sheetIndex, sourceRange),
    enabled: document.isSuccess,
  });
  const later = useQuery({
    ...outputCellsQuery(run.id, outputSheet, `A${firstOutputRow}:${lastLetter}${firstOutputRow + ROWS - 1}`),
    enabled: page > 0,
  });
  const output = page === 0 ? titles : later;
  const error = errorOf(document) ?? errorOf(titles) ?? errorOf(source) ?? errorOf(output);
  if (error) return <ErrorPanel error={error} />;
  if (!titles.data || !source.data || !output.data || !range) return <RowsSkeleton rows={8} />;
  const columns = outputColumns((titles.data.rows[0]?.cells ?? []).map(cellText), table, manifest);
  const paired = pairRows(shown, source.data.rows, output.data.rows, columns, range.firstColumn, firstOutputRow);
  const visible = isChangedOnly ? paired.filter((row) => row.isChanged) : paired;
  return (
    <>
      <div className={`card ${classes.scroll}`} tabIndex={0} role="region" aria-label="Rows">
        <table className={classes.grid} aria-label="Before and after">
          <thead>
            <tr>
              <th scope="col">Row</th>
              {columns.map((column) => (
                <th
                  key={column.title}
                  scope="col"
                  title={column.transform ? `changed by ${column.transform}` : undefined}
                >
                  {column.title}
                  {column.transform && <span className={classes.letter}> · {column.transform.split(".").at(-1)}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visible.map((row) => (
              <tr key={row.sourceRow}>
                <th scope="row">
                  <Link
                    className="link num"
                    to="/documents/$documentId"
                    params={{ documentId: run.input_document_id }}
                    search={{
                      run: run.id,
                      ...(sheet && { sheet }),
                      cell: cellName({ row: row.sourceRow, column: range.firstColumn }),
                    }}
                  >
                    {row.sourceRow}
                  </Link>
                </th>
                {row.cells.map((cell, index) => (
                  <td key={index} className={cell.isChanged ? classes.changed : undefined}>
                    {cell.isChanged ? (
                      <span className={classes.pair}>
                        {cell.before && <del className={classes.was}>{cell.before}</del>}
                        <ins className={classes.is} style={{ textDecoration: "none" }}>
                          {cell.after || "(empty)"}
                        </ins>
                      </span>
                    ) : (
                      cell.after
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {visible.length === 0 && (
          <Text p="md" c="dimmed">
            No value of these rows changed.
          </Text>
        )}
      </div>
      {rows.length > ROWS && (
        <Group mt="sm" justify="space-between">
          <Text size="sm" c="dimmed">
            Rows {count(page * ROWS + 1)} to {count(Math.min(rows.length, (page + 1) * ROWS))} of {count(rows.length)}
          </Text>
          <Group gap="xs">
            <Button size="xs" variant="default" disabled={page === 0} onClick={() => setPage(page - 1)}>
              Earlier
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={(page + 1) * ROWS >= rows.length}
              onClick={() => setPage(page + 1)}
            >
              Later
            </Button>
          </Group>
        </Group>
      )}
    </>
  );
}
