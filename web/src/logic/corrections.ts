/** Corrections in words, and those that result from a choice on the page. */
import type { ArtifactColumn, ArtifactTable } from "~/api/artifact";
import type { CellCorrection, Correction } from "~/api/types";
import { parseRange } from "./a1";
import { comparable } from "./headers";
import { counted } from "./numbers";
import { sourceTitle } from "./turned";
import { decisionWords } from "./values";

export type RowLabel = Extract<Correction, { kind: "row" }>["label"];

const LABELS: Record<RowLabel, string> = {
  header: "the header",
  data: "data",
  total: "a total",
  group: "the heading of a group",
  title: "a title",
  note: "a note",
  blank: "nothing",
};

/** The types of rows that a person can choose. */
export const ROW_LABELS = Object.entries(LABELS) as [RowLabel, string][];

/** A correction as a sentence. `labelOf` names a field for people. */
export function correctionWords(one: Correction, labelOf: (field: string) => string): string {
  switch (one.kind) {
    case "header":
      return `“${one.header}” ${becomes(one, labelOf)}${on(one.sheet)}`;
    case "column":
      return `${sourceTitle(one.column)} ${becomes(one, labelOf)}${on(one.sheet)}`;
    case "value":
      return `“${one.value}” in ${labelOf(one.field)} ${decisionWords(one)}`;
    case "row":
      return `Row ${one.row} is ${LABELS[one.label]}${on(one.sheet)}`;
    case "cell":
      return `${placeWords(one, labelOf)}${on(one.sheet)} ${decisionWords({ new: one.new })}`;
    case "range":
      return `${one.range} is a table ${shapeWords(one)}${on(one.sheet)}`;
    case "sheet":
      return `Sheet “${one.sheet}” is ${one.ignored ? "not read" : "read"}`;
    case "field":
      return `${labelOf(one.field)}: ${fieldWords(one)}`;
    case "new_field":
      return `${one.label} is a new field`;
  }
}

/** The cell of a correction, or the field and the row where its value comes from no cell. */
function placeWords({ cell, row, field }: CellCorrection, labelOf: (field: string) => string): string {
  return cell ?? `${labelOf(field ?? "")} in row ${row}`;
}

function becomes(
  one: { field: string | null; kept?: boolean | null | undefined },
  labelOf: (field: string) => string,
): string {
  if (one.field !== null) return `is ${labelOf(one.field)}`;
  return one.kept ? "is kept as it is" : "is left out";
}

function shapeWords(one: Extract<Correction, { kind: "range" }>): string {
  if (!one.transposed) return `with ${headerWords(one.header_rows)}`;
  return `whose fields are rows, with ${one.header_rows === 0 ? "no names" : `${counted(one.header_rows, "column")} of names`}`;
}

const headerWords = (rows: number): string => (rows === 0 ? "no header" : counted(rows, "header row"));

const on = (sheet: string | null | undefined): string => (sheet ? ` on sheet “${sheet}”` : "");

function fieldWords({ type, day_first: isDayFirst }: Extract<Correction, { kind: "field" }>): string {
  const order = isDayFirst === null || isDayFirst === undefined ? [] : [isDayFirst ? "day first" : "month first"];
  return [...(type ? [type] : []), ...order].join(", ");
}

/** What corrections are about, without values: for the note of a version. */
export function noteWords(corrections: readonly Correction[], documentName: string): string {
  const count = (noun: string, ...kinds: Correction["kind"][]): string[] => {
    const found = corrections.filter((one) => kinds.includes(one.kind)).length;
    return found > 0 ? [counted(found, noun)] : [];
  };
  const parts = [
    ...count("column", "header", "column"),
    ...count("new field", "new_field"),
    ...count("value", "value"),
    ...count("field", "field"),
    ...count("sheet", "sheet"),
  ];
  return `${parts.join(", ") || "Corrections"}, from ${documentName}`;
}

/** Whether a correction is about places of one document: the next one has other content there. */
export const isOfOneDocument = (one: Correction): boolean => ["row", "range", "cell"].includes(one.kind);

/** What corrections of places are about: "rows", "cells", or both. */
export function placesWords(corrections: readonly Correction[]): string {
  const kinds = new Set(corrections.filter(isOfOneDocument).map(({ kind }) => (kind === "cell" ? "cells" : "rows")));
  return [...kinds].sort().join(" and ");
}

/** "This column is that field": by its header where it has one of its own, by its position otherwise. */
export function columnCorrection(
  table: ArtifactTable,
  column: ArtifactColumn,
  becomes: { field: string | null; kept?: boolean },
): Correction {
  const meant = { field: becomes.field, kept: becomes.kept ?? false, sheet: null };
  const alike = table.columns.filter((other) => comparable(other.header) === comparable(column.header));
  return column.header.trim() !== "" && alike.length === 1
    ? { kind: "header", header: column.header, ...meant }
    : { kind: "column", column: column.source, ...meant };
}

const MOST_ROWS_ABOVE = 20;

/** Sets the type of a row: a new header replaces the old one, and rows above it are not data. */
export function rowCorrections(
  row: number,
  label: RowLabel,
  sheet: string | null,
  table: ArtifactTable | null,
): Correction[] {
  const one = (number: number, meant: RowLabel): Correction => ({ kind: "row", row: number, sheet, label: meant });
  if (label !== "header" || table === null) return [one(row, label)];
  const first = parseRange(table.range)?.firstRow ?? row;
  const above = rowsBetween(Math.max(first, row - MOST_ROWS_ABOVE), row - 1).map((number) => one(number, "title"));
  const below = table.header.rows.filter((number) => number > row).map((number) => one(number, "data"));
  return [...above, ...below, one(row, "header")];
}

function rowsBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
