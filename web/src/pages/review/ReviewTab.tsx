import { Group, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Artifact } from "~/api/artifact";
import { manifestOf, type Manifest } from "~/api/manifest";
import { buildQuery } from "~/api/queries";
import type { Correction, Run } from "~/api/types";
import { useSheetRows } from "~/components/useSheetRows";
import type { Cell } from "~/logic/a1";
import { columnNumber } from "~/logic/a1";
import { columnCorrection } from "~/logic/corrections";
import { tableNames, tablesOf, type PlacedTable } from "~/logic/explain";
import { evidenceRange, reviewedFields, valuesOf, type Values } from "~/logic/review";
import { useForbidden } from "~/shell/workspace";
import { FieldRows } from "./FieldRows";
import { OtherColumns } from "./OtherColumns";
import { addPending, usePending } from "./pending";
import { PendingPanel } from "./PendingPanel";
import { ReviewGrid } from "./ReviewGrid";
import classes from "./review.module.css";
import { useReview } from "./useReview";
import { Values as ValuesWithIssues } from "./Values";

/** Which column is which field, what is wrong with values, and how to put it right without code. */
export default function ReviewTab({ run, artifact }: { run: Run; artifact: Artifact }) {
  const review = useReview(run, artifact, usePending(run.id));
  const manifest = manifestOf(useQuery(buildQuery(run.build_id)).data);
  const [chosen, setChosen] = useState<Cell | null>(null);
  const tables = tablesOf(review.shown.artifact);
  const [place, setPlace] = useState(0);
  const placed = tables[Math.min(place, tables.length - 1)] ?? null;
  const choose = (next: number): void => {
    setPlace(next);
    setChosen(null);
  };
  return (
    <div className={classes.page}>
      <div className={classes.decisions}>
        <PendingPanel review={review} manifest={manifest} />
        {tables.length > 1 && <TableChoice tables={tables} place={place} onChoose={choose} />}
        {placed ? (
          <TableReview
            run={run}
            artifact={review.shown.artifact}
            placed={placed}
            manifest={manifest}
            chosen={chosen}
            onChoose={setChosen}
          />
        ) : (
          <NoTable />
        )}
        <ValuesWithIssues
          run={review.shown.run}
          artifact={review.shown.artifact}
          pendingRunId={run.id}
          manifest={manifest}
        />
      </div>
      <ReviewGrid run={run} review={review} placed={placed} chosen={chosen} onChoose={setChosen} />
    </div>
  );
}

function NoTable() {
  return (
    <Text className={`card ${classes.note}`}>
      No table was found. Choose a cell of the row that holds the headers, and mark it as the header.
    </Text>
  );
}

interface TableProps {
  run: Run;
  artifact: Artifact;
  placed: PlacedTable;
  manifest: Manifest | null;
  chosen: Cell | null;
  onChoose: (cell: Cell) => void;
}

/** The fields and the columns of one table. */
function TableReview({ run, artifact, placed, manifest, chosen, onChoose }: TableProps) {
  const { table } = placed;
  const forbidden = useForbidden("operator");
  const values = useValues(run, placed);
  const fields = reviewedFields(artifact, table, manifest, values);
  const correct = (...corrections: Correction[]): void => addPending(run.id, ...corrections);
  const shared = {
    table,
    values,
    fields,
    forbidden,
    chosenColumn: table.columns.find(({ source }) => columnNumber(source) === chosen?.column)?.source ?? null,
    onChoose: (source: string) =>
      onChoose({ row: table.header.rows.at(-1) ?? firstRow(table.range), column: columnNumber(source) }),
    onColumn: (...[column, becomes]: [ColumnOf<typeof table>, { field: string | null; kept?: boolean }]) =>
      correct(columnCorrection(table, column, becomes)),
  };
  return (
    <>
      <FieldRows {...shared} />
      <OtherColumns {...shared} onNewField={(corrections) => correct(...corrections)} />
    </>
  );
}

type ColumnOf<Table extends PlacedTable["table"]> = Table["columns"][number];

const firstRow = (range: string): number => Number(/\d+/.exec(range)?.[0] ?? 1);

/** What stands in the columns of a table; nothing while it loads, or where the document cannot be read. */
function useValues(run: Run, { sheet, table }: PlacedTable): Values {
  const rows = useSheetRows(run.input_document_id, sheet, evidenceRange(table));
  return useMemo(() => valuesOf(table, rows), [table, rows]);
}

interface ChoiceProps {
  tables: PlacedTable[];
  place: number;
  onChoose: (place: number) => void;
}

function TableChoice({ tables, place, onChoose }: ChoiceProps) {
  const names = tableNames(tables);
  return (
    <Group gap="xs">
      <NativeSelect
        size="xs"
        label="Table"
        data={names.map((label, index) => ({ value: String(index), label }))}
        value={String(place)}
        onChange={(event) => onChoose(Number(event.currentTarget.value))}
      />
    </Group>
  );
}
