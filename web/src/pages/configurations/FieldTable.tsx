import { Checkbox, NativeSelect, Table, TextInput } from "@mantine/core";
import type { InferredField } from "~/api/types";
import { TableHead } from "~/components/TableHead";
import { cellText } from "~/logic/changes";
import { filledWords, hasOrder, labelProblem, nameProblem, TYPE_WORDS, type FieldRow } from "~/logic/inferredFields";
import classes from "./spreadsheet.module.css";

interface Props {
  rows: FieldRow[];
  onChange: (rows: FieldRow[]) => void;
}

/** The fields of an example: which there shall be, what they are called, and what their values are. */
export function FieldTable({ rows, onChange }: Props) {
  const change = (changed: FieldRow, part: Partial<FieldRow>): void =>
    onChange(rows.map((row) => (row === changed ? { ...row, ...part } : row)));
  return (
    <div className={`card scrolls ${classes.scroll}`} tabIndex={0} role="region" aria-label="Fields">
      <Table verticalSpacing="xs" horizontalSpacing="sm" aria-label="Fields" className={classes.fields}>
        <TableHead titles={["Field", "Label", "Name", "Type", "Checks", "In the example"]} />
        <Table.Tbody>
          {rows.map((row) => (
            <Row
              key={row.inferred.name}
              row={row}
              problem={nameProblem(row, rows)}
              onChange={(part) => change(row, part)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface RowProps {
  row: FieldRow;
  problem: string | null;
  onChange: (part: Partial<FieldRow>) => void;
}

function Row({ row, problem, onChange }: RowProps) {
  const { inferred, isChosen } = row;
  const of = `of ${inferred.label}`;
  return (
    <Table.Tr data-off={!isChosen || undefined}>
      <Table.Td>
        <Checkbox
          aria-label={`Use ${inferred.label}`}
          checked={isChosen}
          onChange={(event) => onChange({ isChosen: event.currentTarget.checked })}
        />
      </Table.Td>
      <Words row={row} of={of} problem={problem} onChange={onChange} />
      <Table.Td>
        <TypeSelects row={row} of={of} onChange={onChange} />
      </Table.Td>
      <Table.Td>
        <Checks row={row} of={of} onChange={onChange} />
      </Table.Td>
      <Table.Td>
        <Samples inferred={inferred} />
      </Table.Td>
    </Table.Tr>
  );
}

type PartProps = Omit<RowProps, "problem"> & { of: string };

/** What the field is called: for people, and in the code. */
function Words({ row, of, problem, onChange }: PartProps & Pick<RowProps, "problem">) {
  return (
    <>
      <Table.Td>
        <TextInput
          size="xs"
          aria-label={`Label ${of}`}
          disabled={!row.isChosen}
          value={row.label}
          error={labelProblem(row)}
          onChange={(event) => onChange({ label: event.currentTarget.value })}
        />
      </Table.Td>
      <Table.Td>
        <TextInput
          size="xs"
          classNames={{ input: "mono" }}
          aria-label={`Name ${of}`}
          disabled={!row.isChosen}
          value={row.name}
          error={problem}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      </Table.Td>
    </>
  );
}

const ORDERS = [
  { value: "", label: "order as found" },
  { value: "day", label: "day first" },
  { value: "month", label: "month first" },
];

function TypeSelects({ row, of, onChange }: PartProps) {
  const order = row.dayFirst === null ? "" : row.dayFirst ? "day" : "month";
  return (
    <div className={classes.types}>
      <NativeSelect
        size="xs"
        aria-label={`Type ${of}`}
        disabled={!row.isChosen}
        data={Object.entries(TYPE_WORDS).map(([value, label]) => ({ value, label }))}
        value={row.type}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
      />
      {hasOrder(row.type) && (
        <NativeSelect
          size="xs"
          aria-label={`Order of day and month ${of}`}
          disabled={!row.isChosen}
          data={ORDERS}
          value={order}
          onChange={({ currentTarget: { value } }) => onChange({ dayFirst: value === "" ? null : value === "day" })}
        />
      )}
    </div>
  );
}

function Checks({ row, of, onChange }: PartProps) {
  return (
    <div className={classes.checks}>
      <Checkbox
        size="xs"
        label="required"
        aria-label={`Required ${of}`}
        disabled={!row.isChosen}
        checked={row.isRequired}
        onChange={(event) => onChange({ isRequired: event.currentTarget.checked })}
      />
      <Checkbox
        size="xs"
        label="unique"
        aria-label={`Unique ${of}`}
        disabled={!row.isChosen}
        checked={row.isUnique}
        onChange={(event) => onChange({ isUnique: event.currentTarget.checked })}
      />
    </div>
  );
}

/** The first values of a column, and how full it is. */
function Samples({ inferred }: { inferred: InferredField }) {
  const values = inferred.samples.map(cellText);
  return (
    <div className={classes.samples}>
      <span title={values.join("\n")}>{values.join(" · ")}</span>
      <small>
        {filledWords(inferred)}
        {inferred.kind && `, ${inferred.kind.replaceAll("_", " ")}`}
      </small>
    </div>
  );
}
