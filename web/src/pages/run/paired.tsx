import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { ArtifactTable } from "~/api/artifact";
import { worstOf, type PairedCell, type PairedRow } from "~/logic/changes";
import { count } from "~/logic/numbers";
import classes from "./run.module.css";
import type { LeftOutRow, PairedPage } from "./usePairedRows";

export function isLeftOut(row: PairedRow | LeftOutRow): row is LeftOutRow {
  return "part" in row;
}

/** What marks a cell: what is wrong with it, and whether it was changed. */
export function marksOf(cell: PairedCell): Record<`data-${string}`, string | true | undefined> & { title?: string } {
  const title = [wasWords(cell), cell.corrected, ...cell.issues.map((issue) => issue.message)]
    .filter(Boolean)
    .join(" · ");
  return {
    "data-type": cell.type ?? undefined,
    "data-changed": cell.isChanged || undefined,
    "data-corrected": cell.corrected !== null || undefined,
    "data-issue": worstOf(cell.issues) ?? undefined,
    ...(title && { title }),
  };
}

function wasWords(cell: PairedCell): string {
  if (!cell.isChanged) return "";
  return cell.retyped ?? `was ${cell.before || "empty"}`;
}

/** The same for those who do not see the marks. */
export function SpokenMarks({ cell }: { cell: PairedCell }) {
  const told = [...(cell.corrected ? [cell.corrected] : []), ...cell.issues.map((issue) => issue.message)];
  if (told.length === 0) return null;
  return <span className="only-sr"> ({told.join("; ")})</span>;
}

export function MarksLegend({ table, children }: { table: ArtifactTable; children?: ReactNode }) {
  const { total } = table.issue_counts;
  const isPart = total > table.issues.length;
  return (
    <div className={classes.marks} aria-label="Legend">
      <span data-kind="changed">changed</span>
      {(table.corrected_cells ?? 0) > 0 && <span data-kind="corrected">corrected by a person</span>}
      <span data-kind="issue">
        issue{isPart && ` (the first ${count(table.issues.length)} of ${count(total)} are marked)`}
      </span>
      {children}
    </div>
  );
}

/** Which rows these are, and the way to the others. */
export function Pager({
  page,
  number,
  total,
  onChange,
}: {
  page: PairedPage;
  number: number;
  total: number;
  onChange: (number: number) => void;
}) {
  const last = page.first + page.count - 1;
  const isCut = page.cutAt !== null && last >= page.cutAt;
  if (page.pageCount <= 1 && !isCut) return null;
  return (
    <Group mt="sm" justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {page.count > 0 && `Rows ${count(page.first)} to ${count(last)} of ${count(total)}`}
        {isCut && ". The rest cannot be shown here; the download has all of it."}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" disabled={number === 0} onClick={() => onChange(number - 1)}>
          Earlier
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={number + 1 >= page.pageCount || isCut}
          onClick={() => onChange(number + 1)}
        >
          Later
        </Button>
      </Group>
    </Group>
  );
}
