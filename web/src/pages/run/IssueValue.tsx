import { useQuery } from "@tanstack/react-query";
import type { Issue } from "~/api/artifact";
import { cellsQuery, documentQuery } from "~/api/queries";
import type { Cells, CellValue, Run } from "~/api/types";
import { parseCell, rangeName } from "~/logic/a1";
import { cellText } from "~/logic/changes";
import classes from "./issues.module.css";

const BLOCK = 200;

/** What the cell of an issue holds. Issues carry no values: it is read from the document, by those who may see it. */
export function IssueValue({ run, issue }: { run: Run; issue: Issue }) {
  const cell = issue.cell ? parseCell(issue.cell) : null;
  const sheet = useSheetIndex(run, issue.sheet);
  const block = cell ? Math.floor((cell.row - 1) / BLOCK) : 0;
  const [firstColumn, lastColumn] = [cell?.column ?? 1, cell?.column ?? 1];
  // Its neighbours of the same column along with it: the issues below are about them.
  const range = rangeName({ firstRow: block * BLOCK + 1, lastRow: (block + 1) * BLOCK, firstColumn, lastColumn });
  const cells = useQuery({
    ...cellsQuery(`/documents/${run.input_document_id}`, sheet ?? 0, range),
    enabled: cell !== null && sheet !== null,
    select: (found: Cells) => found.rows.find((row) => row.row === cell?.row)?.cells[0] ?? null,
  });
  if (!cell) return <span className={classes.none}>–</span>;
  if (cells.error)
    return (
      <span className={classes.none} title={cells.error.message}>
        cannot be read
      </span>
    );
  return cells.data === undefined ? <span aria-busy="true">…</span> : <Value value={cells.data} />;
}

export function Value({ value }: { value: CellValue | null }) {
  const text = cellText(value);
  return text === "" ? (
    <em className={classes.none}>empty</em>
  ) : (
    <span className={classes.value} title={text}>
      {text}
    </span>
  );
}

/** Where a sheet is in the document; null while that is not known. */
export function useSheetIndex(run: Run, name: string | null): number | null {
  const sheets = useQuery(documentQuery(run.input_document_id)).data?.sheets;
  return sheets?.find((sheet) => sheet.name === name)?.index ?? null;
}
