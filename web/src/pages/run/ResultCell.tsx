import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ArtifactTable, Issue } from "~/api/artifact";
import { cellsQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { SeverityBadge } from "~/components/status";
import { cellName, columnLetters, parseRange, rangeName, type Cell } from "~/logic/a1";
import { sourceRow } from "~/logic/cellCorrections";
import { cellText, type OutputColumn } from "~/logic/changes";
import type { GridView } from "~/logic/gridView";
import classes from "../documents/DocumentPage.module.css";

interface Props {
  run: Run;
  source: string;
  sheet: number;
  sheetName: string | null;
  table: ArtifactTable;
  columns: readonly OutputColumn[];
  view: GridView;
  chosen: Cell | null;
  marks: Map<string, Issue[]>;
  onEdit: (() => void) | null;
}

/** What the chosen cell of a result holds, what is wrong with it, and where in the document it is from. */
export function ResultCell({ run, source, sheet, sheetName, table, columns, view, chosen, marks, onEdit }: Props) {
  const range = chosen ? cellRange(chosen) : "A1:A1";
  const row = useQuery({ ...cellsQuery(source, sheet, range, view), enabled: chosen !== null }).data?.rows[0];
  if (!chosen)
    return (
      <div className={classes.inspector}>
        Choose a cell to see what it holds and where it is from. Double-click it or press Enter to change it.
      </div>
    );
  const number = row?.number ?? chosen.row;
  const name = cellName({ ...chosen, row: number });
  const value = row?.cells[0] ?? null;
  const column = columns[chosen.column - 1];
  return (
    <div className={classes.inspector} role="status">
      <strong className="mono">{name}</strong>
      <span className={classes.value}>{cellText(value) || <em>empty</em>}</span>
      {value && <span className={classes.kind}>{value.type}</span>}
      <From run={run} sheetName={sheetName} table={table} column={column} row={sourceRow(table, number)} />
      {(marks.get(name) ?? []).map((issue) => (
        <span key={issue.rule}>
          <SeverityBadge severity={issue.severity} /> {issue.message}
        </span>
      ))}
      <span style={{ flex: 1 }} />
      {onEdit && number > 1 && (
        <Button size="compact-xs" variant="default" onClick={onEdit} aria-label={`Change ${name}`}>
          Change
        </Button>
      )}
    </div>
  );
}

interface FromProps {
  run: Run;
  sheetName: string | null;
  table: ArtifactTable;
  column: OutputColumn | undefined;
  row: number | null;
}

function From({ run, sheetName, table, column, row }: FromProps) {
  if (row === null) return null;
  const own = column?.source ? columnLetters(column.source) : null;
  const cell = `${own ?? columnLetters(parseRange(table.range)?.firstColumn ?? 1)}${row}`;
  return (
    <Text size="sm" component="span">
      from{" "}
      <Link
        className="link mono"
        to="/documents/$documentId"
        params={{ documentId: run.input_document_id }}
        search={{ run: run.id, ...(sheetName && { sheet: sheetName }), cell }}
      >
        {own === null ? `row ${row}` : cell}
      </Link>
    </Text>
  );
}

const cellRange = ({ row, column }: Cell): string =>
  rangeName({ firstRow: row, lastRow: row, firstColumn: column, lastColumn: column });
