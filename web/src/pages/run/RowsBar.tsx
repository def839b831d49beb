import { Progress, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { cellsQuery, documentQuery } from "~/api/queries";
import type { Run, RunEvent } from "~/api/types";
import { count, counted } from "~/logic/numbers";
import { rowsProgress } from "~/logic/timeline";
import classes from "./run.module.css";

/** How many rows of a long table are written, and of how many when the length of its sheet is known. */
export default function RowsBar({ run, events }: { run: Run; events: RunEvent[] }) {
  const progress = rowsProgress(events);
  const isLong = progress !== null && progress.rows > 0;
  const document = useQuery({ ...documentQuery(run.input_document_id), enabled: isLong });
  const sheet = document.data?.sheets.find((one) => one.name === progress?.sheet)?.index;
  const cells = useQuery({
    ...cellsQuery(`/documents/${run.input_document_id}`, sheet ?? 0, "A1:A1"),
    enabled: sheet !== undefined,
  });
  if (!isLong) return null;
  const last = cells.data?.is_whole ? cells.data.last_row : null;
  const total = last ? Math.max(progress.rows, last - progress.firstDataRow + 1) : null;
  const words = total
    ? `${count(progress.rows)} of about ${counted(total, "row")} written`
    : `${counted(progress.rows, "row")} written`;
  return (
    <div className={`card ${classes.rowsBar}`}>
      <Text size="sm">
        {progress.sheet ?? "The document"}: <span className="num">{words}</span>
      </Text>
      {total && <Progress value={(progress.rows / total) * 100} aria-label={`Rows of ${progress.sheet ?? "it"}`} />}
    </div>
  );
}
