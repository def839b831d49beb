/** The view of the rows of a result: sorted, or only some of them. The address of the page keeps it. */
import { columnLetters, columnNumber } from "./a1";

export interface Condition {
  column: number;
  /** Whether cells must be the text, not only contain it. */
  isEqual: boolean;
  text: string;
}

export type Only = "issues" | "changes";

export interface GridView {
  sort: { column: number; isDescending: boolean } | null;
  conditions: readonly Condition[];
  only: Only | null;
}

export interface ViewWords {
  sort?: string | undefined;
  filter?: string | undefined;
  only?: string | undefined;
}

export const AS_IT_IS: GridView = { sort: null, conditions: [], only: null };

/** What an address says; words that mean nothing are ignored. */
export function viewOf({ sort, filter, only }: ViewWords): GridView {
  const sorted = /^(-?)([A-Z]{1,3})$/.exec(sort ?? "");
  return {
    sort: sorted?.[2] ? { column: columnNumber(sorted[2]), isDescending: sorted[1] === "-" } : null,
    conditions: (filter ?? "").split("\n").flatMap((one) => conditionOf(one) ?? []),
    only: only === "issues" || only === "changes" ? only : null,
  };
}

function conditionOf(text: string): Condition | null {
  const found = /^([A-Z]{1,3})([=~])(.{0,200})$/.exec(text);
  if (!found?.[1] || found[3] === undefined) return null;
  return { column: columnNumber(found[1]), isEqual: found[2] === "=", text: found[3] };
}

/** What an address has to say for a view. */
export function wordsOf({ sort, conditions, only }: GridView): ViewWords {
  const filter = conditions.map(({ column, isEqual, text }) => `${columnLetters(column)}${isEqual ? "=" : "~"}${text}`);
  return {
    sort: sort ? `${sort.isDescending ? "-" : ""}${columnLetters(sort.column)}` : undefined,
    filter: filter.length > 0 ? filter.join("\n") : undefined,
    only: only ?? undefined,
  };
}

/** The parameters of a request; none where the rows are as they are. */
export function viewQuery({ sort, conditions, only }: GridView): Record<string, string | string[] | boolean> {
  const of = (wantsEqual: boolean): string[] =>
    conditions
      .filter(({ isEqual }) => isEqual === wantsEqual)
      .map(({ column, text }) => `${columnLetters(column)}:${text}`);
  return {
    ...(sort && { sort: columnLetters(sort.column), descending: sort.isDescending }),
    ...(of(false).length > 0 && { contains: of(false) }),
    ...(of(true).length > 0 && { equals: of(true) }),
    ...(only && { only }),
  };
}

export const isAsItIs = (view: GridView): boolean => Object.keys(viewQuery(view)).length === 0;

export function sortedBy(view: GridView, column: number, isDescending: boolean | null): GridView {
  return { ...view, sort: isDescending === null ? null : { column, isDescending } };
}

/** A view with one condition of a column in place of the one it had; with an empty text to contain, none. */
export function filteredBy(view: GridView, condition: Condition): GridView {
  const others = view.conditions.filter(({ column }) => column !== condition.column);
  const isNone = !condition.isEqual && condition.text.trim() === "";
  return { ...view, conditions: isNone ? others : [...others, { ...condition, text: condition.text.trim() }] };
}

/** What is said of a column: "ascending", "descending" or nothing. */
export function directionOf({ sort }: GridView, column: number): "ascending" | "descending" | undefined {
  if (sort?.column !== column) return undefined;
  return sort.isDescending ? "descending" : "ascending";
}

export function conditionWords({ isEqual, text }: Condition): string {
  if (text === "") return "is empty";
  return `${isEqual ? "is" : "contains"} “${text}”`;
}
