import { Button, Group, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import type { ArtifactTable } from "~/api/artifact";
import { documentQuery } from "~/api/queries";
import type { Correction, Run } from "~/api/types";
import { CellGrid } from "~/components/CellGrid";
import type { EditedTable } from "~/components/TableEdges";
import { cellName, rangeName, type Cell, type Range } from "~/logic/a1";
import { ROW_LABELS, rowCorrections, type RowLabel } from "~/logic/corrections";
import { meaningOf, type CellPart, type PlacedTable } from "~/logic/explain";
import { rangeCorrection, shapeOf, turned, type TableShape } from "~/logic/tableShape";
import { isTurned } from "~/logic/turned";
import { useForbidden } from "~/shell/workspace";
import { useIssueMarks } from "../documents/useIssueMarks";
import { useSourceEdits } from "./cellEdits";
import { addPending } from "./pending";
import classes from "./review.module.css";
import type { Review } from "./useReview";

interface Props {
  run: Run;
  review: Review;
  placed: PlacedTable | null;
  chosen: Cell | null;
  onChoose: (cell: Cell) => void;
}

/** The document beside the decisions, with what the result makes of it drawn on top. */
export function ReviewGrid({ run, review, placed, chosen, onChoose }: Props) {
  const { artifact, run: shownRun } = review.shown;
  const sheets = useQuery(documentQuery(run.input_document_id)).data?.sheets ?? [];
  const sheet = (placed && sheets.find(({ name }) => name === placed.sheet)) ?? sheets[0];
  const sheetName = sheet?.name ?? null;
  const tables = useMemo(
    () => artifact.sheets.find(({ name }) => name === sheetName)?.tables ?? [],
    [artifact, sheetName],
  );
  const { issues, setRows } = useIssueMarks(artifact, shownRun.id, sheetName);
  const [range, setRange] = useState<Range | null>(null);
  const edited = useEdited(run, sheetName, tables, review.pending);
  const edit = useRef<(() => void) | null>(null);
  const edits = useSourceEdits(run, sheetName, tables);
  return (
    <section className={classes.document} aria-label="Document">
      <RowBar
        {...{ run, tables, chosen, range }}
        onEdit={() => edit.current?.()}
        sheet={sheetName}
        table={placed?.table ?? null}
      />
      {sheet && (
        <CellGrid
          source={`/documents/${run.input_document_id}`}
          sheet={sheet.index}
          tables={tables}
          issues={issues}
          chosen={chosen}
          onChoose={onChoose}
          onRows={setRows}
          edited={edited}
          edits={edits}
          edit={edit}
          onRange={setRange}
        />
      )}
    </section>
  );
}

/** The tables of a sheet as they are corrected by moving their edges; none for those who may not correct. */
function useEdited(
  run: Run,
  sheet: string | null,
  tables: ArtifactTable[],
  pending: readonly Correction[],
): EditedTable[] | undefined {
  const forbidden = useForbidden("operator");
  if (forbidden !== null) return undefined;
  const onMove = (shape: TableShape): void => addPending(run.id, rangeCorrection(shape, sheet));
  return tables.flatMap((table) => {
    const shape = shapeOf(table, sheet, pending);
    return shape ? [{ shape, onMove }] : [];
  });
}

interface BarProps {
  run: Run;
  sheet: string | null;
  tables: ArtifactTable[];
  table: ArtifactTable | null;
  chosen: Cell | null;
  range: Range | null;
  onEdit: () => void;
}

/** What the row of the chosen cell is, and another choice. */
function RowBar({ run, sheet, tables, table, chosen, range, onEdit }: BarProps) {
  const forbidden = useForbidden("operator");
  if (!chosen)
    return (
      <Text size="sm" c="dimmed" className={classes.rowBar}>
        Choose a cell to see its column and to set what its row is. Double-click it or press Enter to edit it. Drag the
        edges of a table, or move them with the arrow keys.
      </Text>
    );
  if (range && range.lastRow > range.firstRow) return <RangeBar run={run} sheet={sheet} range={range} />;
  const label = labelOfRow(tables, chosen);
  const isOnlyHeader = label === "header" && String(table?.header.rows) === String(chosen.row);
  const around = meaningOf(tables, chosen)?.table;
  const correct = (meant: RowLabel): void => addPending(run.id, ...rowCorrections(chosen.row, meant, sheet, table));
  return (
    <Group gap="xs" className={classes.rowBar}>
      <Text size="sm">
        <span className="mono">{cellName(chosen)}</span> · row {chosen.row} is
      </Text>
      <LabelSelect row={chosen.row} label={label} forbidden={forbidden} onChoose={correct} />
      {!isOnlyHeader && (
        <Button size="compact-sm" variant="default" disabled={forbidden !== null} onClick={() => correct("header")}>
          This row is the header
        </Button>
      )}
      {label === "data" && (
        <Button
          size="compact-sm"
          variant="default"
          disabled={forbidden !== null}
          aria-label={`Change the cell ${cellName(chosen)}`}
          onClick={onEdit}
        >
          Change the cell
        </Button>
      )}
      {around?.transposed && <TurnButton run={run} sheet={sheet} table={around} range={around.transposed.range} />}
    </Group>
  );
}

interface LabelProps {
  row: number;
  label: RowLabel | null;
  forbidden: string | null;
  onChoose: (label: RowLabel) => void;
}

function LabelSelect({ row, label, forbidden, onChoose }: LabelProps) {
  return (
    <NativeSelect
      size="xs"
      aria-label={`Row ${row} is`}
      disabled={forbidden !== null}
      title={forbidden ?? undefined}
      value={label ?? ""}
      data={[
        ...(label === null ? [{ value: "", label: "outside all tables" }] : []),
        ...ROW_LABELS.map(([value, words]) => ({ value, label: words })),
      ]}
      onChange={(event) => event.currentTarget.value && onChoose(event.currentTarget.value as RowLabel)}
    />
  );
}

/** Says that the fields of a table are rows, or that they are columns after all. */
function TurnButton({
  run,
  sheet,
  table,
  range,
}: {
  run: Run;
  sheet: string | null;
  table: ArtifactTable;
  range: string;
}) {
  const forbidden = useForbidden("operator");
  const shape = shapeOf({ ...table, range }, sheet, []);
  return (
    shape && (
      <Button
        size="compact-sm"
        variant="default"
        disabled={forbidden !== null}
        onClick={() => addPending(run.id, rangeCorrection(turned(shape), sheet))}
      >
        {isTurned(table) ? "The fields are columns" : "The fields are rows"}
      </Button>
    )
  );
}

/** Makes a table of the cells that are chosen. */
function RangeBar({ run, sheet, range }: { run: Run; sheet: string | null; range: Range }) {
  const forbidden = useForbidden("operator");
  return (
    <Group gap="xs" className={classes.rowBar}>
      <Text size="sm" className="mono">
        {rangeName(range)}
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        onClick={() => addPending(run.id, rangeCorrection({ range, headerRows: 1 }, sheet))}
      >
        These cells are a table
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        onClick={() => addPending(run.id, rangeCorrection({ range, headerRows: 1, isTransposed: true }, sheet))}
      >
        A table whose fields are rows
      </Button>
    </Group>
  );
}

const LABELS: Record<CellPart, RowLabel> = {
  header: "header",
  data: "data",
  title: "title",
  note: "note",
  totals: "total",
  group: "group",
  "repeated header": "header",
};

/** What a run took a row for; null outside all tables. */
function labelOfRow(tables: ArtifactTable[], cell: Cell): RowLabel | null {
  const meaning = meaningOf(tables, cell);
  return meaning ? LABELS[meaning.part] : null;
}
