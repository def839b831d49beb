/** Typing into cells of the document and of the result: each becomes a correction that waits. */
import { useMemo } from "react";
import type { Artifact, ArtifactTable } from "~/api/artifact";
import type { Run } from "~/api/types";
import type { CellEdits, CorrectedCell } from "~/components/cellEdits";
import { cellName, type Cell } from "~/logic/a1";
import {
  isAsItWas,
  isAt,
  resultPlace,
  sourceCorrection,
  sourceRefusal,
  tableRefusal,
  textOf,
  valueCorrection,
  type CellPlace,
} from "~/logic/cellCorrections";
import type { OutputColumn } from "~/logic/changes";
import type { PlacedTable } from "~/logic/explain";
import { useForbidden } from "~/shell/workspace";
import { madeWith } from "./ownCorrections";
import { addPending, removePending, usePending, type Corrections } from "./pending";

const WAITS = "not kept yet";

/** Cells of the document; what was put into them before is shown too. None for those who may not correct. */
export function useSourceEdits(run: Run, sheet: string | null, tables: ArtifactTable[]): CellEdits | undefined {
  const forbidden = useForbidden("operator");
  const pending = usePending(run.id);
  return useMemo(() => {
    if (forbidden !== null) return undefined;
    const placeOf = (cell: Cell): CellPlace => ({ cell: cellName(cell), sheet });
    return {
      correctedTo: (cell) => waiting(pending, placeOf(cell)) ?? kept(run, placeOf(cell)),
      refusal: (cell) => sourceRefusal(tables, cell),
      onEdit: (cell, text, value) => {
        const made = sourceCorrection(placeOf(cell), text, value);
        const isUndone = isAsItWas(text, value) && kept(run, placeOf(cell)) === null;
        if (isUndone) removePending(run.id, made);
        else addPending(run.id, made);
      },
    };
  }, [forbidden, pending, run, sheet, tables]);
}

/** Cells of a table of the result. */
export function useResultEdits(
  run: Run,
  artifact: Artifact,
  { sheet, table }: PlacedTable,
  outputSheet: number,
  columns: readonly OutputColumn[],
): CellEdits | undefined {
  const forbidden = useForbidden("operator");
  const pending = usePending(run.id);
  return useMemo(() => {
    if (forbidden !== null) return undefined;
    const never = tableRefusal(artifact, table, outputSheet);
    const placeOf = (cell: Cell): CellPlace | null =>
      never === null ? resultPlace(table, sheet, columns[cell.column - 1], cell.row) : null;
    return {
      correctedTo: (cell) => {
        const place = placeOf(cell);
        return place && waiting(pending, place);
      },
      refusal: (cell) => never ?? (placeOf(cell) ? null : noPlace(cell)),
      onEdit: (cell, text, value) => {
        const place = placeOf(cell);
        if (!place) return;
        const made = valueCorrection(place, text);
        if (isAsItWas(text, value)) removePending(run.id, made);
        else addPending(run.id, made);
      },
    };
  }, [forbidden, pending, run, artifact, table, sheet, outputSheet, columns]);
}

function noPlace(cell: Cell): string {
  return cell.row === 1
    ? "this is the header. Say in Review which column is which field."
    : "its value is neither of a cell of the document nor of a field.";
}

function waiting(pending: Corrections, place: CellPlace): CorrectedCell | null {
  const found = pending.find((one) => isAt(one, place));
  return found?.kind === "cell" ? { text: textOf(found), by: WAITS } : null;
}

/** What was put into a cell when the document was run. */
function kept(run: Run, place: CellPlace): CorrectedCell | null {
  const found = madeWith(run).findLast((one) => isAt(one, place));
  return found?.kind === "cell" ? { text: textOf(found), by: `corrected by ${found.by ?? "somebody"}` } : null;
}
