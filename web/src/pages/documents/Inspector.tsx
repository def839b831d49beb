import { Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Link2 } from "lucide-react";
import type { Artifact, Issue } from "~/api/artifact";
import { cellsQuery } from "~/api/queries";
import type { Document } from "~/api/types";
import { showDone } from "~/components/feedback";
import { SeverityBadge } from "~/components/status";
import { cellName, parseRange, rangeName, type Cell } from "~/logic/a1";
import { cellText } from "~/logic/changes";
import { columnPlace, meaningOf, type CellMeaning as Meaning } from "~/logic/explain";
import { fieldWords } from "~/logic/issues";
import { withMod } from "~/logic/platform";
import classes from "./DocumentPage.module.css";

interface Props {
  document: Document;
  sheetIndex: number;
  sheetName: string | null;
  artifact: Artifact | null;
  chosen: Cell | null;
  issues: Map<string, Issue[]>;
  runId: string | null;
}

/** What the chosen cell holds, and what the run made of it. */
export function Inspector({ document, sheetIndex, artifact, sheetName, chosen, issues, runId }: Props) {
  const range = chosen
    ? rangeName({ firstRow: chosen.row, lastRow: chosen.row, firstColumn: chosen.column, lastColumn: chosen.column })
    : "A1:A1";
  const cells = useQuery({
    ...cellsQuery(`/documents/${document.id}`, sheetIndex, range),
    enabled: chosen !== null,
  }).data;
  if (!chosen)
    return (
      <div className={classes.inspector}>
        Choose a cell to see what it holds and what became of it. Shift chooses a range, {withMod("C")} copies it.
      </div>
    );
  const tables = artifact?.sheets.find((sheet) => sheet.name === sheetName)?.tables ?? [];
  const meaning = meaningOf(tables, chosen);
  const name = cellName(chosen);
  const value = cells?.rows[0]?.cells[0] ?? null;
  return (
    <div className={classes.inspector} role="status">
      <strong className="mono">{name}</strong>
      <span className={classes.value}>{cellText(value) || (cells ? <em>empty</em> : "…")}</span>
      {value && <span className={classes.kind}>{value.type}</span>}
      {meaning && <CellMeaning meaning={meaning} cell={chosen} sheetName={sheetName} runId={runId} />}
      {(issues.get(name) ?? []).map((issue) => (
        <span key={issue.rule}>
          <SeverityBadge severity={issue.severity} /> {issue.message}
        </span>
      ))}
      <span style={{ flex: 1 }} />
      <ShareButton name={name} />
    </div>
  );
}

const fieldOf = ({ column }: Meaning): string => (column?.target ? fieldWords(column.target) : "an unmapped column");

interface MeaningProps {
  meaning: Meaning;
  cell: Cell;
  sheetName: string | null;
  runId: string | null;
}

/** What the chosen cell is to the run, and which column it is in. */
function CellMeaning({ meaning, cell, sheetName, runId }: MeaningProps) {
  const place = meaning.column && columnPlace({ sheet: sheetName, table: meaning.table }, meaning.column.source);
  return (
    <span>
      {meaning.part === "header" ? "header" : meaning.part === "data" ? "data" : `${meaning.part} row, left out`}
      {meaning.column && meaning.part !== "title" && (
        <>
          {" of "}
          {runId && place ? (
            <Link className="link" to="/runs/$runId" params={{ runId }} search={{ tab: "explanation", column: place }}>
              {fieldOf(meaning)}
            </Link>
          ) : (
            fieldOf(meaning)
          )}
        </>
      )}
      {" · "}
      {tableSpot(meaning.table.range, cell)}
    </span>
  );
}

function ShareButton({ name }: { name: string }) {
  const share = (): void => void navigator.clipboard.writeText(location.href).then(() => showDone("Link copied"));
  return (
    <Tooltip label="Copy a link to this cell">
      <button type="button" className={classes.share} onClick={share} aria-label={`Copy a link to ${name}`}>
        <Link2 size={16} />
      </button>
    </Tooltip>
  );
}

function tableSpot(name: string, cell: Cell): string {
  const range = parseRange(name);
  const isBeyond = range !== null && (cell.row < range.firstRow || cell.row > range.lastRow);
  return `${isBeyond ? "next to" : "in"} table ${name}`;
}
