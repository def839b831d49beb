import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import type { ArtifactTable, Issue } from "~/api/artifact";
import { manifestOf } from "~/api/manifest";
import { buildQuery, outputCellsQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { CellGrid } from "~/components/CellGrid";
import type { Arrangement } from "~/components/ColumnMenu";
import { GridTools } from "~/components/GridTools";
import { columnLetters, parseCell, rangeName, type Cell } from "~/logic/a1";
import { cellText, outputColumns, tableRows, type OutputColumn } from "~/logic/changes";
import { isAsItIs, viewOf, wordsOf } from "~/logic/gridView";
import { nextCell, type Step } from "~/logic/reading";
import { resultMarks } from "~/logic/resultMarks";
import { useResultEdits } from "../review/cellEdits";
import type { ShownProps } from "./Preview";
import { ResultCell } from "./ResultCell";
import { PendingBar } from "./values/PendingBar";
import { useRowCount, ViewBar, ViewError } from "./ViewBar";

/** All rows of a table of the result, with the issues that the artifact keeps: sorted, filtered, and typed into. */
export function WholeResult({ run, artifact, placed, outputSheet }: ShownProps) {
  const { table, sheet: sheetName } = placed;
  const [chosen, setChosen] = useState<Cell | null>(null);
  const columns = useOutputColumns(run, outputSheet, table);
  const arrangement = useArrangement(columns, () => setChosen(null));
  const place = { source: `/runs/${run.id}/output`, sheet: outputSheet };
  const found = useRowCount(place.source, place.sheet, arrangement.view);
  const marks = useMemo(() => resultMarks(table, tableRows(table), columns, table.issues), [table, columns]);
  const edits = useResultEdits(run, artifact, placed, outputSheet, columns);
  const edit = useRef<(() => void) | null>(null);
  const { go, isAtEnd } = useNextMark(marks, chosen, setChosen);
  const isWhole = isAsItIs(arrangement.view);
  const tables = useMemo(
    () => [outputTable(table, isWhole ? table.rows.written : (found.rows ?? 0))],
    [table, isWhole, found.rows],
  );
  const shared = { ...place, chosen, onChoose: setChosen };
  const cell = { run, ...place, sheetName, table, columns, chosen, marks, view: arrangement.view };
  return (
    <>
      <Group gap="xs" align="flex-start">
        <GridTools
          {...shared}
          view={arrangement.view}
          onIssue={isWhole && marks.size > 0 ? go : null}
          isAtEnd={isAtEnd}
        />
        <ViewBar {...arrangement} written={table.rows.written} found={found} />
      </Group>
      <ViewError {...arrangement} found={found} />
      <PendingBar run={run} />
      <ResultCell {...cell} onEdit={edits ? () => edit.current?.() : null} />
      {!(found.error && !isWhole) && (
        <CellGrid {...shared} {...{ tables, arrangement, edits, edit }} issues={marks} isKeyFrozen />
      )}
      {edits && <OnlyHere />}
    </>
  );
}

function OnlyHere() {
  return (
    <Text size="sm" c="dimmed" mt={6}>
      Your changes become pending corrections for this document only, because the next one has other cells in these
      places.
    </Text>
  );
}

const route = getRouteApi("/runs/$runId");

/** How the rows are sorted and filtered, kept in the address. */
function useArrangement(columns: readonly OutputColumn[], onChange: () => void): Arrangement {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const { sort, filter, only } = search;
  const view = useMemo(() => viewOf({ sort, filter, only }), [sort, filter, only]);
  return {
    view,
    onView: (next) => {
      onChange();
      void navigate({ search: { ...search, ...wordsOf(next) }, replace: true, resetScroll: false });
    },
    nameOf: (column) => columns[column - 1]?.title || `column ${columnLetters(column)}`,
  };
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
function outputTable(table: ArtifactTable, rows: number): ArtifactTable {
  const lastRow = rows + 1;
  const range = rangeName({ firstRow: 1, firstColumn: 1, lastRow, lastColumn: table.columns.length });
  const none = { title_rows: [], totals_rows: [], note_rows: [], group_rows: [], repeated_header_rows: [] };
  return { ...table, ...none, range, columns: [], header: { ...table.header, rows: [1] } };
}
