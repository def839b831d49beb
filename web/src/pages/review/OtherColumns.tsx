import { Button, Group, NativeSelect, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { ArtifactColumn } from "~/api/artifact";
import type { Correction } from "~/api/types";
import { columnCorrection } from "~/logic/corrections";
import { fieldName, unusedName } from "~/logic/fieldNames";
import { count, counted } from "~/logic/numbers";
import { openColumns, stateWords } from "~/logic/review";
import { sourceTitle, sourceWords } from "~/logic/turned";
import { fitsType, lookWords } from "~/logic/valueKinds";
import { Samples, useShown, type ColumnsProps } from "./FieldRows";
import classes from "./review.module.css";

interface Props extends ColumnsProps {
  onNewField: (corrections: Correction[]) => void;
}

const MOST_AT_FIRST = 12; // what is wrong with values stands below

/** The columns that are no field: what each of them shall be. */
export function OtherColumns(props: Props) {
  const open = openColumns(props.table);
  const decided = props.table.columns.filter((one) => one.target === null && !open.includes(one));
  const columns = [...open, ...decided];
  const [isAll, setAll] = useState(false);
  const isShown = (column: ArtifactColumn, place: number): boolean =>
    isAll || place < MOST_AT_FIRST || column.source === props.chosenColumn;
  if (columns.length === 0) return null;
  return (
    <section className="card" aria-label="Other columns">
      <div className={classes.head}>
        <Title order={2} size="h5">
          Other columns
        </Title>
        <Text size="sm" c="dimmed">
          {open.length > 0 ? `${counted(open.length, "column")} unknown` : "none is unknown"}
        </Text>
      </div>
      <ul className={classes.rows}>
        {columns.filter(isShown).map((column) => (
          <ColumnRow key={column.source} {...props} column={column} />
        ))}
      </ul>
      {!columns.every(isShown) && (
        <Button variant="subtle" size="compact-sm" className={classes.more} onClick={() => setAll(true)}>
          Show all {count(columns.length)} columns
        </Button>
      )}
    </section>
  );
}

function ColumnRow({ column, ...props }: Props & { column: ArtifactColumn }) {
  const isChosen = column.source === props.chosenColumn;
  const row = useShown(isChosen);
  const { samples = [], look = null } = props.values.get(column.source) ?? {};
  return (
    <li
      ref={row}
      className={classes.row}
      data-chosen={isChosen || undefined}
      onFocus={() => props.onChoose(column.source)}
    >
      <div className={classes.what}>
        <strong>{column.header || <em>no header</em>}</strong>
        <small>
          {sourceWords(column.source)} · {stateWords(column)}
        </small>
      </div>
      <div className={classes.choice}>
        <Actions {...props} column={column} />
        <Samples samples={samples} />
        <small className={classes.samples}>{lookWords(look)}</small>
      </div>
    </li>
  );
}

const NOTHING = "";

function Actions({ column, ...props }: Props & { column: ArtifactColumn }) {
  const { fields, forbidden, onColumn } = props;
  const name = column.header || sourceTitle(column.source);
  const common = { size: "compact-sm", variant: "default", disabled: forbidden !== null } as const;
  return (
    <Group gap={6}>
      <NativeSelect
        size="xs"
        aria-label={`Field of ${name}`}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        value={NOTHING}
        data={[{ value: NOTHING, label: "It is…" }, ...fields.map((one) => ({ value: one.name, label: one.label }))]}
        onChange={(event) => event.currentTarget.value && onColumn(column, { field: event.currentTarget.value })}
      />
      <Button {...common} aria-label={`New field: ${name}`} onClick={() => props.onNewField(newField(props, column))}>
        New field
      </Button>
      {column.reason !== "ignored" && (
        <Button {...common} aria-label={`Leave out: ${name}`} onClick={() => onColumn(column, { field: null })}>
          Leave out
        </Button>
      )}
      {column.reason !== "kept" && (
        <Button {...common} aria-label={`Keep: ${name}`} onClick={() => onColumn(column, { field: null, kept: true })}>
          Keep
        </Button>
      )}
    </Group>
  );
}

/** A field named like the column, of the type its values have. */
function newField({ fields, table, values }: Props, column: ArtifactColumn): Correction[] {
  const label = column.header.trim() || sourceTitle(column.source);
  const name = unusedName(
    fieldName(label),
    fields.map((one) => one.name),
  );
  const look = values.get(column.source)?.look ?? null;
  const type = (["date", "number", "boolean", "time"] as const).find((one) => fitsType(look, one)) ?? "text";
  return [{ kind: "new_field", field: name, label, type }, columnCorrection(table, column, { field: name })];
}
