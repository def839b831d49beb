/** Issues in plain words, counted by what they are about, and as a table for other programs. */
import type { Issue, Severity } from "~/api/artifact";
import type { IssueGroup } from "~/api/types";
import { parseCell } from "./a1";
import { ownRule } from "./explain";

const RULES: Record<string, string> = {
  "type.integer": "Whole number",
  "type.percent": "Percentage",
  "type.datetime": "Date and time",
  "type.boolean": "Yes or no",
  "cell.error": "Error in the cell",
  "money.currency": "Currency",
  "structure.no_table": "No table",
  "structure.wider_rows": "Rows wider than the header",
  "structure.row_below": "Row below the table",
  "structure.row_outside": "Row in no table",
  "structure.row_in_doubt": "Row that may be a record",
  "structure.total_in_doubt": "Row that may be a total",
  "sheet.hidden": "Hidden sheet",
  "formula.no_value": "Formula without a value",
  "csv.broken_quotes": "Broken quotes",
  "csv.uneven_rows": "Uneven rows",
  "encoding.uncertain": "Uncertain encoding",
  "encoding.undecodable": "Unreadable characters",
  "output.drop": "Column that is missing",
};
const ACRONYMS = new Set(["id", "iban", "vat", "url", "zip", "sku", "isbn"]);

/** The name of a field as people write it: member_id is "Member ID". */
export function fieldWords(name: string): string {
  const words = name.split(/[_.]+/).filter(Boolean);
  const written = words.map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word));
  return capitalised(written.join(" ")) || name;
}

/** What was checked, in words: "Date", "Pattern", "Rule of Member ID". */
export function issueRuleWords(rule: string): string {
  if (RULES[rule]) return RULES[rule];
  const own = ownRule(rule);
  if (own) return `${own.function === "transform" ? "Transform" : "Rule"} of ${fieldWords(own.field)}`;
  return fieldWords(rule.replace(/^type\./, ""));
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const FACETS = ["severity", "rule", "field"] as const;
export type Facet = (typeof FACETS)[number];
export type Chosen = Partial<Record<Facet, string>>;
/** Stands in the address for what has no field. */
export const NO_FIELD = "null";

const valueOf = (group: IssueGroup, facet: Facet): string => String(group[facet]);
const fits = (group: IssueGroup, chosen: Chosen, without?: Facet): boolean =>
  FACETS.every((facet) => facet === without || !chosen[facet] || valueOf(group, facet) === chosen[facet]);

/** How many issues each value of a facet would leave, given what is chosen of the others; the most first. */
export function facetCounts(groups: IssueGroup[], facet: Facet, chosen: Chosen): [string, number][] {
  const counts = new Map<string, number>();
  for (const group of groups) {
    const value = valueOf(group, facet);
    counts.set(value, (counts.get(value) ?? 0) + (fits(group, chosen, facet) ? group.count : 0));
  }
  return [...counts].sort((one, other) => other[1] - one[1]);
}

/** How many issues fit what is chosen. */
export function chosenCount(groups: IssueGroup[], chosen: Chosen): number {
  return groups.reduce((sum, group) => sum + (fits(group, chosen) ? group.count : 0), 0);
}

export const SORTS = { found: "As found", severity: "Severity", cell: "Cell", field: "Field", rule: "Rule" } as const;
export type Sort = keyof typeof SORTS;
const WEIGHTS: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

/** The same issues in another order; equal ones stay as they were found. */
export function sorted(issues: Issue[], sort: Sort): Issue[] {
  const keyOf: Record<Exclude<Sort, "found">, (issue: Issue) => (string | number)[]> = {
    severity: (issue) => [WEIGHTS[issue.severity] ?? 3],
    cell: placeOf,
    field: (issue) => [issue.field ?? "", ...placeOf(issue)],
    rule: (issue) => [issueRuleWords(issue.rule), ...placeOf(issue)],
  };
  if (sort === "found") return issues;
  const keyed = issues.map((issue) => ({ issue, key: keyOf[sort](issue) }));
  return keyed.sort((one, other) => compared(one.key, other.key)).map(({ issue }) => issue);
}

function placeOf(issue: Issue): (string | number)[] {
  const cell = issue.cell ? parseCell(issue.cell) : null;
  return [issue.sheet ?? "", cell?.row ?? 0, cell?.column ?? 0];
}

function compared(one: (string | number)[], other: (string | number)[]): number {
  for (const [place, value] of one.entries()) {
    const against = other[place] ?? "";
    if (value !== against) return value < against ? -1 : 1;
  }
  return 0;
}

export const CSV_HEADER = ["Severity", "Sheet", "Cell", "Field", "What is wrong", "Rule"].join(",") + "\r\n";

/** An issue as a line of a table for spreadsheet programs. */
export function csvLine(issue: Issue): string {
  const { severity, sheet, cell, field, message, rule } = issue;
  return [severity, sheet, cell, field, message, rule].map((text) => csvText(text ?? "")).join(",") + "\r\n";
}

function csvText(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; // a program would take it for a formula
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Whether an issue is among those that are chosen. */
export function isChosen(issue: Issue, chosen: Chosen): boolean {
  return FACETS.every((facet) => !chosen[facet] || String(issue[facet]) === chosen[facet]);
}
