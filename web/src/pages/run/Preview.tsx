import { Group, SegmentedControl, Skeleton, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Artifact } from "~/api/artifact";
import { outputCellsQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { columnLetters } from "~/logic/a1";
import { cellText } from "~/logic/changes";
import { tablesOf } from "~/logic/explain";
import classes from "./run.module.css";

const ROWS = 12;
const MOST_COLUMNS = 30;
const MOST_TABLES = 6;

/** The first rows of the workbook that was written. */
export default function Preview({ run, artifact }: { run: Run; artifact: Artifact }) {
  const tables = tablesOf(artifact);
  const [chosen, setChosen] = useState("0");
  const range = `A1:${columnLetters(MOST_COLUMNS)}${ROWS + 1}`;
  const cells = useQuery(outputCellsQuery(run.id, Number(chosen), range));
  if (cells.error) return null; // the workbook can still be downloaded
  const [header, ...rows] = cells.data?.rows ?? [];
  return (
    <section aria-label="Preview">
      <Group justify="space-between" mt="lg" mb="xs">
        <Title order={2} size="h4">
          First rows of the result
        </Title>
        {tables.length > 1 && tables.length <= MOST_TABLES && (
          <SegmentedControl
            size="xs"
            aria-label="Table"
            value={chosen}
            onChange={setChosen}
            data={tables.map(({ table }, index) => ({ value: String(index), label: table.output }))}
          />
        )}
      </Group>
      {cells.data ? (
        <div className={`card ${classes.scroll}`} tabIndex={0} role="region" aria-label="First rows">
          <table className={classes.preview}>
            <thead>
              <tr>
                {header?.cells.map((cell, index) => (
                  <th key={index} scope="col">
                    {cellText(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.row}>
                  {header?.cells.map((_, index) => (
                    <td key={index} data-type={row.cells[index]?.type}>
                      {cellText(row.cells[index] ?? null)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <Skeleton height={240} radius="md" aria-busy="true" aria-label="Loading" />
      )}
    </section>
  );
}
