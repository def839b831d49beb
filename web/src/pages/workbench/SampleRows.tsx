import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { outputCellsQuery } from "~/api/queries";
import type { CellRow, CellValue } from "~/api/types";
import { columnLetters } from "~/logic/a1";
import { cellText } from "~/logic/changes";
import type { PlacedTable } from "~/logic/explain";
import { count } from "~/logic/numbers";
import classes from "./workbench.module.css";

const MOST_ROWS = 8;
const MOST_COLUMNS = 200;

interface Props extends Pick<PlacedTable, "table"> {
  runId: string;
  /** Which of the sheets, or files, of the result it is. */
  outputSheet: number;
}

/** The first rows of what was written for a table. */
export function SampleRows({ runId, table, outputSheet }: Props) {
  const range = `A1:${columnLetters(MOST_COLUMNS)}${MOST_ROWS + 1}`;
  const found = useQuery(outputCellsQuery(runId, outputSheet, range)).data;
  const [titles, ...rows] = found?.rows ?? [];
  if (!titles || rows.length === 0) return null;
  const label = `Result of ${table.range}`;
  const { written } = table.rows;
  return (
    <>
      <div className={classes.rows} tabIndex={0} role="region" aria-label={label}>
        <RowsTable label={label} titles={titles.cells} rows={rows} />
      </div>
      <Text size="xs" c="dimmed" mb="md">
        {written > rows.length ? `The first ${rows.length} of ${count(written)} rows` : "All rows"} of “{table.output}”
      </Text>
    </>
  );
}

interface TableProps {
  label: string;
  titles: CellRow["cells"];
  rows: CellRow[];
}

function RowsTable({ label, titles, rows }: TableProps) {
  const isNumeric = titles.map((_, place) => {
    const cells = rows.flatMap((row) => row.cells[place] ?? []);
    return cells.length > 0 && cells.every(isNumber);
  });
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {titles.map((title, place) => (
            <th key={place} scope="col" data-type={isNumeric[place] ? "number" : undefined}>
              {cellText(title)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, number) => (
          <tr key={number}>
            {titles.map((_, place) => (
              <td key={place} data-type={isNumeric[place] ? "number" : undefined}>
                {cellText(row.cells[place] ?? null)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isNumber = (cell: CellValue): boolean => cell.type === "number";
