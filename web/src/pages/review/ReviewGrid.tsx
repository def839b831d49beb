import { Button, Group, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ArtifactTable } from "~/api/artifact";
import { documentQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { CellGrid } from "~/components/CellGrid";
import { cellName, type Cell } from "~/logic/a1";
import { ROW_LABELS, rowCorrections, type RowLabel } from "~/logic/corrections";
import { meaningOf, type CellPart, type PlacedTable } from "~/logic/explain";
import { useForbidden } from "~/shell/workspace";
import { useIssueMarks } from "../documents/useIssueMarks";
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
  return (
    <section className={classes.document} aria-label="Document">
      <RowBar run={run} sheet={sheetName} tables={tables} table={placed?.table ?? null} chosen={chosen} />
      {sheet && (
        <CellGrid
          source={`/documents/${run.input_document_id}`}
          sheet={sheet.index}
          tables={tables}
          issues={issues}
          chosen={chosen}
          onChoose={onChoose}
          onRows={setRows}
        />
      )}
    </section>
  );
}

interface BarProps {
  run: Run;
  sheet: string | null;
  tables: ArtifactTable[];
  table: ArtifactTable | null;
  chosen: Cell | null;
}

/** What the row of the chosen cell is, and another choice. */
function RowBar({ run, sheet, tables, table, chosen }: BarProps) {
  const forbidden = useForbidden("operator");
  if (!chosen)
    return (
      <Text size="sm" c="dimmed" className={classes.rowBar}>
        Choose a cell to see its column, and to say what its row is.
      </Text>
    );
  const label = labelOfRow(tables, chosen);
  const isOnlyHeader = label === "header" && String(table?.header.rows) === String(chosen.row);
  const correct = (meant: RowLabel): void => addPending(run.id, ...rowCorrections(chosen.row, meant, sheet, table));
  return (
    <Group gap="xs" className={classes.rowBar}>
      <Text size="sm">
        <span className="mono">{cellName(chosen)}</span> · row {chosen.row} is
      </Text>
      <NativeSelect
        size="xs"
        aria-label={`Row ${chosen.row} is`}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        value={label ?? ""}
        data={[
          ...(label === null ? [{ value: "", label: "outside all tables" }] : []),
          ...ROW_LABELS.map(([value, words]) => ({ value, label: words })),
        ]}
        onChange={(event) => event.currentTarget.value && correct(event.currentTarget.value as RowLabel)}
      />
      {!isOnlyHeader && (
        <Button size="compact-sm" variant="default" disabled={forbidden !== null} onClick={() => correct("header")}>
          This row is the header
        </Button>
      )}
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
