import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { ArtifactTable, Issue } from "~/api/artifact";
import { manifestOf } from "~/api/manifest";
import { buildQuery, outputCellsQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { CellGrid } from "~/components/CellGrid";
import { GridTools } from "~/components/GridTools";
import { columnLetters, parseCell, rangeName, type Cell } from "~/logic/a1";
import { cellText, outputColumns, tableRows, type OutputColumn } from "~/logic/changes";
import { nextCell, type Step } from "~/logic/reading";
import { resultMarks } from "~/logic/resultMarks";
import { useResultEdits } from "../review/cellEdits";
import type { ShownProps } from "./Preview";
import { PendingBar } from "./values/PendingBar";

/** All rows of a table of the result, with the issues that the artifact keeps. */
export function WholeResult({ run, artifact, placed, outputSheet }: ShownProps) {
  const { table } = placed;
  const [chosen, setChosen] = useState<Cell | null>(null);
  const columns = useOutputColumns(run, outputSheet, table);
  const marks = useMemo(() => resultMarks(table, tableRows(table), columns, table.issues), [table, columns]);
  const edits = useResultEdits(run, artifact, placed, outputSheet, columns);
  const { go, isAtEnd } = useNextMark(marks, chosen, setChosen);
  const tables = useMemo(() => [outputTable(table)], [table]);
  const shared = { source: `/runs/${run.id}/output`, sheet: outputSheet, chosen, onChoose: setChosen };
  return (
    <>
      <GridTools {...shared} onIssue={marks.size > 0 ? go : null} isAtEnd={isAtEnd} />
      <PendingBar run={run} />
      <CellGrid {...shared} tables={tables} issues={marks} edits={edits} isKeyFrozen />
      {edits && (
        <Text size="sm" c="dimmed" mt={6}>
          Double-click a cell or press Enter to change its value. It waits as a correction of this document alone: in
          the next document, something else stands there.
        </Text>
      )}
    </>
  );
}

function useNextMark(
  marks: Map<string, Issue[]>,
  chosen: Cell | null,
  onChoose: (cell: Cell) => void,
): { go: (step: Step) => void; isAtEnd: boolean } {
  const [isAtEnd, setAtEnd] = useState(false);
  const go = useCallback(
    (step: Step): void => {
      const found = nextCell(
        [...marks.keys()].flatMap((name) => parseCell(name) ?? []),
        chosen,
        step,
      );
      setAtEnd(found === null);
      if (found) onChoose(found);
    },
    [marks, chosen, onChoose],
  );
  return { go, isAtEnd };
}

/** What each column of the output is, told from its titles. */
function useOutputColumns(run: Run, sheet: number, table: ArtifactTable): OutputColumn[] {
  const manifest = manifestOf(useQuery(buildQuery(run.build_id)).data);
  const letter = columnLetters(widthOf(table));
  const titles = useQuery(outputCellsQuery(run.id, sheet, `A1:${letter}1`)).data?.rows[0]?.cells;
  return useMemo(() => outputColumns((titles ?? []).map(cellText), table, manifest), [titles, table, manifest]);
}

const widthOf = (table: ArtifactTable): number => table.columns.length + Object.keys(table.transform).length + 4;

/** The result as a table of its own: its header is the first row, and nothing of it is left out. */
function outputTable(table: ArtifactTable): ArtifactTable {
  const lastRow = table.rows.written + 1;
  const range = rangeName({ firstRow: 1, firstColumn: 1, lastRow, lastColumn: table.columns.length });
  const none = { title_rows: [], totals_rows: [], note_rows: [], group_rows: [], repeated_header_rows: [] };
  return { ...table, ...none, range, columns: [], header: { ...table.header, rows: [1] } };
}
