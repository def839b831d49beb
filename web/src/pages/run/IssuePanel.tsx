import { ActionIcon, Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useEffect } from "react";
import type { Artifact, ArtifactTable, Issue } from "~/api/artifact";
import { cellsQuery } from "~/api/queries";
import type { Run } from "~/api/types";
import { SeverityBadge } from "~/components/status";
import { columnLetters, isInside, parseCell, parseRange, rangeName, type Cell, type Range } from "~/logic/a1";
import { fieldWords, issueRuleWords } from "~/logic/issues";
import { cellsOf, isTurned } from "~/logic/turned";
import { IssueValue, useSheetIndex, Value } from "./IssueValue";
import classes from "./issues.module.css";

interface Props {
  run: Run;
  artifact: Artifact;
  issue: Issue;
  place: string;
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
  onClose: () => void;
}

/** One issue with its value and the row around it, below the list; n and p go through the list. */
export function IssuePanel({ run, artifact, issue, place, onPrevious, onNext, onClose }: Props) {
  useStepKeys({ n: onNext, p: onPrevious, Escape: onClose });
  return (
    <section className={`card ${classes.panel}`} aria-label="Issue">
      <div className={classes.panelHead}>
        <SeverityBadge severity={issue.severity} />
        <strong>{issue.field ? fieldWords(issue.field) : "No field"}</strong>
        <span className={classes.panelValue}>
          <IssueValue run={run} issue={issue} />
        </span>
        <span className={classes.panelMessage}>
          {issue.message} <small title={issue.rule}>{issueRuleWords(issue.rule)}</small>
        </span>
        <Steps place={place} onPrevious={onPrevious} onNext={onNext} onClose={onClose} />
      </div>
      <RowAround run={run} artifact={artifact} issue={issue} />
      {issue.cell && <OpenInDocument run={run} issue={issue} />}
    </section>
  );
}

function useStepKeys(steps: Record<string, (() => void) | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
      if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
      steps[event.key]?.();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  });
}

/** The cells next to the one with the issue, under the headers of their table. */
function RowAround({ run, artifact, issue }: { run: Run; artifact: Artifact; issue: Issue }) {
  const cell = issue.cell ? parseCell(issue.cell) : null;
  const table = cell && tableAround(artifact, issue.sheet, cell);
  const range = table && parseRange(table.range);
  const sheet = useSheetIndex(run, issue.sheet);
  const wanted = cell && table && range ? recordRange(table, range, cell) : "A1:A1";
  const cells = useQuery({
    ...cellsQuery(`/documents/${run.input_document_id}`, sheet ?? 0, wanted),
    enabled: range !== null && sheet !== null,
  }).data;
  if (!cell || !table || !range) return null;
  const isAcross = isTurned(table);
  const place = isAcross ? columnLetters(cell.column) : String(cell.row);
  const wrong = isAcross ? String(cell.row) : columnLetters(cell.column);
  return (
    <div className={classes.around} tabIndex={0} role="region" aria-label={`${isAcross ? "Column" : "Row"} ${place}`}>
      <table>
        <Headers table={table} />
        <tbody>
          <tr>
            <td className="num">{place}</td>
            {table.columns.map(({ source }) => (
              <td key={source} data-wrong={source === wrong || undefined}>
                {cells ? <Value value={cellsOf(table, cells.rows, source)[0] ?? null} /> : "…"}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

/** The cells of the record that a cell is in: its row, or its column where the table was turned. */
function recordRange(table: ArtifactTable, range: Range, { row, column }: Cell): string {
  if (isTurned(table)) return rangeName({ ...range, firstColumn: column, lastColumn: column });
  return rangeName({ ...range, firstRow: row, lastRow: row });
}

function tableAround(artifact: Artifact, sheet: string | null, cell: Cell): ArtifactTable | null {
  const tables = artifact.sheets.find((one) => one.name === sheet)?.tables ?? [];
  return (
    tables.find((table) => {
      const range = parseRange(table.range);
      return range !== null && isInside(range, cell);
    }) ?? null
  );
}

function Steps({ place, onPrevious, onNext, onClose }: Pick<Props, "place" | "onPrevious" | "onNext" | "onClose">) {
  return (
    <Group gap={6} wrap="nowrap">
      <span className={`num ${classes.hint}`}>{place}</span>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label="Previous issue"
        title="Previous issue (p)"
        disabled={!onPrevious}
        onClick={() => onPrevious?.()}
      >
        <ChevronLeft size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label="Next issue"
        title="Next issue (n)"
        disabled={!onNext}
        onClick={() => onNext?.()}
      >
        <ChevronRight size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Close" onClick={onClose}>
        <X size={16} />
      </ActionIcon>
    </Group>
  );
}

function OpenInDocument({ run, issue }: Pick<Props, "run" | "issue">) {
  return (
    <Button
      size="xs"
      variant="default"
      mt={8}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/documents/$documentId"
          params={{ documentId: run.input_document_id }}
          search={{ run: run.id, cell: issue.cell ?? "", ...(issue.sheet && { sheet: issue.sheet }) }}
        />
      )}
    >
      Open in the document
    </Button>
  );
}

function Headers({ table }: { table: ArtifactTable }) {
  return (
    <thead>
      <tr>
        <th scope="col">{isTurned(table) ? "Column" : "Row"}</th>
        {table.columns.map((column) => (
          <th key={column.source} scope="col">
            {column.header || column.source}
          </th>
        ))}
      </tr>
    </thead>
  );
}
