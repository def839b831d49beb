import { Button, CloseButton, Group, NativeSelect, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { cellsQuery } from "~/api/queries";
import { errorOf, ErrorPanel } from "~/components/feedback";
import type { Arrangement } from "~/components/ColumnMenu";
import { AS_IT_IS, conditionWords, filteredBy, isAsItIs, type GridView, type Only } from "~/logic/gridView";
import { count, counted } from "~/logic/numbers";
import classes from "./run.module.css";

const CHOICES: { value: Only | ""; label: string }[] = [
  { value: "", label: "All rows" },
  { value: "issues", label: "Rows with issues" },
  { value: "changes", label: "Rows with changes" },
];

/** How many rows a view leaves, its header not counted; null while it is computed. */
export function useRowCount(source: string, sheet: number, view: GridView) {
  const top = useQuery({ ...cellsQuery(source, sheet, "A1:A1", view), enabled: !isAsItIs(view), retry: false });
  return {
    rows: top.data?.last_row ? top.data.last_row - 1 : null,
    error: errorOf(top),
    again: () => void top.refetch(),
  };
}

interface Props extends Arrangement {
  written: number;
  found: ReturnType<typeof useRowCount>;
}

/** What rows are shown and in which order, and the way back to all of them. */
export function ViewBar({ view, onView, nameOf, written, found }: Props) {
  const { sort } = view;
  return (
    <Group gap="xs" mb="xs">
      <NativeSelect
        size="xs"
        aria-label="Which rows"
        data={CHOICES}
        value={view.only ?? ""}
        onChange={(event) => onView({ ...view, only: (event.currentTarget.value || null) as Only | null })}
      />
      {view.conditions.map((one) => (
        <Chip
          key={one.column}
          words={`${nameOf(one.column)} ${conditionWords(one)}`}
          onRemove={() => onView(filteredBy(view, { ...one, isEqual: false, text: "" }))}
        />
      ))}
      {sort && (
        <Chip
          words={`by ${nameOf(sort.column)}, ${sort.isDescending ? "descending" : "ascending"}`}
          onRemove={() => onView({ ...view, sort: null })}
        />
      )}
      {!isAsItIs(view) && !found.error && <Count rows={found.rows} written={written} />}
    </Group>
  );
}

/** Why a view cannot be shown, and the way back. */
export function ViewError({ view, onView, found }: Pick<Props, "view" | "onView" | "found">) {
  if (isAsItIs(view) || !found.error) return null;
  return (
    <>
      <ErrorPanel error={found.error} onAgain={found.again} />
      <Button size="xs" variant="default" mt="xs" onClick={() => onView(AS_IT_IS)}>
        All rows as they are
      </Button>
    </>
  );
}

function Chip({ words, onRemove }: { words: string; onRemove: () => void }) {
  return (
    <span className={classes.viewChip}>
      {words}
      <CloseButton size="xs" aria-label={`Remove: ${words}`} onClick={onRemove} />
    </span>
  );
}

function Count({ rows, written }: { rows: number | null; written: number }) {
  if (rows === null)
    return <Skeleton height={14} width={110} role="progressbar" aria-busy="true" aria-label="Rows are being sorted" />;
  return (
    <Text size="sm" c="dimmed" role="status" className="num">
      {count(rows)} of {counted(written, "row")}
    </Text>
  );
}
