import { Button, Checkbox, Group, Popover, Stack, TextInput } from "@mantine/core";
import { ArrowDown, ArrowDownUp, ArrowUp, Filter } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { columnLetters } from "~/logic/a1";
import { directionOf, filteredBy, sortedBy, type GridView } from "~/logic/gridView";
import classes from "./CellGrid.module.css";

export interface Arrangement {
  view: GridView;
  onView: (view: GridView) => void;
  /** What a column is called. */
  nameOf: (column: number) => string;
}

interface Props extends Arrangement {
  column: number;
}

/** The letter of a column: how rows are sorted by it, and what its cells must be. */
export function ColumnMenu({ column, view, onView, nameOf }: Props) {
  const [isOpen, setOpen] = useState(false);
  const condition = view.conditions.find((one) => one.column === column);
  const change = (next: GridView): void => {
    setOpen(false);
    onView(next);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus withinPortal>
      <Popover.Target>
        <button
          type="button"
          className={classes.columnMenu}
          aria-label={`Sort and filter ${nameOf(column)}`}
          title={`Sort and filter ${nameOf(column)}`}
          onClick={() => setOpen(!isOpen)}
          onKeyDown={(event) => event.stopPropagation()}
        >
          {columnLetters(column)}
          <Sign direction={directionOf(view, column)} />
          {condition && <Filter size={12} aria-hidden />}
        </button>
      </Popover.Target>
      <Popover.Dropdown onKeyDown={(event) => event.key !== "Escape" && event.stopPropagation()}>
        <Stack gap="xs">
          <Sorting view={view} column={column} onView={change} />
          <Filtering key={String(isOpen)} view={view} column={column} onView={change} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Sign({ direction }: { direction: "ascending" | "descending" | undefined }) {
  if (direction === undefined) return <ArrowDownUp size={11} aria-hidden className={classes.unsorted} />;
  return direction === "ascending" ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />;
}

type PartProps = Pick<Props, "view" | "column" | "onView">;

function Sorting({ view, column, onView }: PartProps) {
  const direction = directionOf(view, column);
  const choice = (label: string, isDescending: boolean, icon: ReactNode) => {
    const isChosen = direction === (isDescending ? "descending" : "ascending");
    return (
      <Button
        size="xs"
        variant={isChosen ? "filled" : "default"}
        aria-pressed={isChosen}
        leftSection={icon}
        onClick={() => onView(sortedBy(view, column, isChosen ? null : isDescending))}
      >
        {label}
      </Button>
    );
  };
  return (
    <Group gap="xs" role="group" aria-label="Sort">
      {choice("Ascending", false, <ArrowUp size={13} />)}
      {choice("Descending", true, <ArrowDown size={13} />)}
    </Group>
  );
}

function Filtering({ view, column, onView }: PartProps) {
  const before = view.conditions.find((one) => one.column === column);
  const [text, setText] = useState(before?.text ?? "");
  const [isEqual, setEqual] = useState(before?.isEqual ?? false);
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    onView(filteredBy(view, { column, isEqual, text }));
  };
  return (
    <form onSubmit={apply}>
      <Stack gap="xs">
        <TextInput
          size="xs"
          label={isEqual ? "Only rows with" : "Only rows that contain"}
          placeholder={isEqual ? "nothing: empty cells" : ""}
          maxLength={200}
          value={text}
          data-autofocus
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Checkbox
          size="xs"
          label="The whole cell"
          checked={isEqual}
          onChange={(event) => setEqual(event.currentTarget.checked)}
        />
        <FilterButtons onAll={before ? () => onView(filteredBy(view, { column, isEqual: false, text: "" })) : null} />
      </Stack>
    </form>
  );
}

function FilterButtons({ onAll }: { onAll: (() => void) | null }) {
  return (
    <Group gap="xs">
      <Button size="xs" type="submit">
        Filter
      </Button>
      {onAll && (
        <Button size="xs" variant="default" onClick={onAll}>
          All rows
        </Button>
      )}
    </Group>
  );
}
