/** The fields of an example document, as a person adjusts them before they become a configuration. */
import type { ChosenField, InferredField } from "~/api/types";
import { count } from "./numbers";

export interface FieldRow {
  inferred: InferredField;
  isChosen: boolean;
  name: string;
  label: string;
  /** "" leaves values as they are. */
  type: string;
  dayFirst: boolean | null;
  isRequired: boolean;
  isUnique: boolean;
}

/** What a field can be, in words; the first leaves values alone. */
export const TYPE_WORDS: Record<string, string> = {
  "": "as it is",
  text: "text",
  integer: "whole number",
  number: "number",
  money: "money",
  percent: "percent",
  date: "date",
  datetime: "date and time",
  time: "time",
  boolean: "yes or no",
};

/** A date in which only the order says which number is the day and which the month. */
export const hasOrder = (type: string): boolean => type === "date" || type === "datetime";

export function fieldRows(inferred: InferredField[]): FieldRow[] {
  return inferred.map((field) => ({
    inferred: field,
    isChosen: true,
    name: field.name,
    label: field.label,
    type: field.type ?? "",
    dayFirst: field.day_first,
    isRequired: field.required,
    isUnique: field.unique,
  }));
}

/** The fields that were chosen, as the server takes them. */
export function choicesOf(rows: FieldRow[]): ChosenField[] {
  return rows
    .filter((row) => row.isChosen)
    .map((row) => ({
      inferred: row.inferred.name,
      name: row.name.trim(),
      label: row.label.trim(),
      type: (row.type || null) as ChosenField["type"],
      ...(hasOrder(row.type) && { day_first: row.dayFirst }),
      required: row.isRequired,
      unique: row.isUnique,
    }));
}

const NAME = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{M}\d_]*$/u;

/** What is wrong with the name of a field, or null. */
export function nameProblem(row: FieldRow, rows: FieldRow[]): string | null {
  if (!row.isChosen) return null;
  const name = row.name.trim();
  if (!NAME.test(name)) return "Small letters, digits and _";
  return rows.some((other) => other !== row && other.isChosen && other.name.trim() === name)
    ? "Another field has this name"
    : null;
}

export function labelProblem(row: FieldRow): string | null {
  return row.isChosen && row.label.trim() === "" ? "A field needs a label" : null;
}

/** "38 of 40 cells filled, 37 different" */
export function filledWords({
  filled_count: filled,
  value_count: all,
  different_count: different,
}: InferredField): string {
  if (filled === 0) return "no values";
  const cells = filled === all ? `all ${count(all)} cells filled` : `${count(filled)} of ${count(all)} cells filled`;
  return `${cells}, ${different === filled ? "all" : count(different)} different`;
}

/** A name for the configuration of an example: that of the document, without its ending. */
export function configurationName(documentName: string): string {
  const stem = documentName
    .replace(/\.[A-Za-z0-9]{1,5}$/, "")
    .replaceAll("_", " ")
    .trim();
  return stem.charAt(0).toUpperCase() + stem.slice(1);
}
