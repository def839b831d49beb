import { Button, NativeSelect, Text, Title } from "@mantine/core";
import { Check } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ArtifactColumn, ArtifactTable } from "~/api/artifact";
import { certaintyWords, columnName, type Candidate, type ReviewedField, type Values } from "~/logic/review";
import { counted } from "~/logic/numbers";
import { sourceTitle } from "~/logic/turned";
import classes from "./review.module.css";

export interface ColumnsProps {
  table: ArtifactTable;
  values: Values;
  fields: ReviewedField[];
  /** Why nothing may be changed here; null: it may. */
  forbidden: string | null;
  chosenColumn: string | null;
  onChoose: (source: string) => void;
  onColumn: (column: ArtifactColumn, becomes: { field: string | null; kept?: boolean }) => void;
}

/** The fields the configuration expects, each with its column: those that were not found come first. */
export function FieldRows(props: ColumnsProps) {
  const missing = props.fields.filter(({ isMissing }) => isMissing).length;
  return (
    <section className="card" aria-label="Fields">
      <div className={classes.head}>
        <Title order={2} size="h5">
          Fields
        </Title>
        <Text size="sm" c="dimmed">
          {missing > 0
            ? `${counted(missing, "field")} not found, ${props.fields.length - missing} found`
            : `All ${counted(props.fields.length, "field")} found`}
        </Text>
      </div>
      <ul className={classes.rows}>
        {props.fields.map((field) => (
          <FieldRow key={field.name} {...props} field={field} />
        ))}
      </ul>
    </section>
  );
}

function FieldRow({ field, ...props }: ColumnsProps & { field: ReviewedField }) {
  const [column] = field.columns;
  const isChosen = column !== undefined && column.source === props.chosenColumn;
  const row = useShown(isChosen);
  const samples = column ? (props.values.get(column.source)?.samples ?? []) : [];
  return (
    <li
      ref={row}
      className={classes.row}
      data-missing={field.isMissing || undefined}
      data-chosen={isChosen || undefined}
      onFocus={() => column && props.onChoose(column.source)}
    >
      <div className={classes.what}>
        <strong>{field.label}</strong>
        <small>
          {field.isMissing ? "not found" : column ? certaintyWords(column) : "not in this document"}
          {field.isRequired && " · required"}
        </small>
      </div>
      <div className={classes.choice}>
        <ColumnSelect {...props} field={field} column={column ?? null} />
        {samples.length > 0 && <Samples samples={samples} />}
        {field.isMissing && <Candidates {...props} field={field} />}
      </div>
    </li>
  );
}

/** Brings the row of a column that was chosen in the grid into view; a click beside the grid must not move the page. */
export function useShown(isChosen: boolean) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const isOfGrid = document.activeElement?.closest('[role="grid"]');
    if (isChosen && isOfGrid) row.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return row;
}

export function Samples({ samples }: { samples: string[] }) {
  return (
    <small className={classes.samples} title={samples.join("\n")}>
      {samples.join(", ")}
    </small>
  );
}

const NONE = "";

interface SelectProps extends ColumnsProps {
  field: ReviewedField;
  column: ArtifactColumn | null;
}

/** Which column the field is taken from. */
function ColumnSelect({ table, field, column, forbidden, onColumn }: SelectProps) {
  const choose = (source: string): void => {
    const chosen = table.columns.find((one) => one.source === source);
    if (chosen) onColumn(chosen, { field: field.name });
    else if (column) onColumn(column, { field: null, kept: true });
  };
  return (
    <NativeSelect
      size="xs"
      aria-label={`Column of ${field.label}`}
      disabled={forbidden !== null}
      title={forbidden ?? undefined}
      value={column?.source ?? NONE}
      data={[
        { value: NONE, label: column ? "No column" : "Choose a column…" },
        ...table.columns.map((one) => ({ value: one.source, label: columnName(one) })),
      ]}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

function Candidates({ field, forbidden, onColumn, onChoose }: ColumnsProps & { field: ReviewedField }) {
  if (field.candidates.length === 0)
    return <small className={classes.samples}>No likely column. Choose one, or leave it missing.</small>;
  return (
    <div className={classes.candidates} role="group" aria-label={`Columns that may be ${field.label}`}>
      {field.candidates.map(({ column, evidence }: Candidate) => (
        <div key={column.source} className={classes.candidate}>
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<Check size={14} />}
            disabled={forbidden !== null}
            title={forbidden ?? undefined}
            onFocus={(event) => {
              event.stopPropagation();
              onChoose(column.source);
            }}
            onClick={() => onColumn(column, { field: field.name })}
            aria-label={`${column.header || sourceTitle(column.source)} is ${field.label}`}
          >
            {column.header || sourceTitle(column.source)}
          </Button>
          <small>{evidence}</small>
        </div>
      ))}
    </div>
  );
}
