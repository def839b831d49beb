/** Issues of cells by field, rule and value, so that one decision settles all that are alike. */
import type { Issue } from "~/api/artifact";
import type { CellValue, Correction } from "~/api/types";

export interface ValueOfGroup {
  value: string;
  count: number;
  /** The choice of the field that is nearest to it. */
  nearest: string | null;
}

export interface ValueGroup {
  field: string;
  rule: string;
  message: string;
  count: number;
  /** The different values, the most frequent first; only texts, which corrections can name. */
  values: ValueOfGroup[];
}

/** Group issues of cells; `cellOf` gives what a cell holds, undefined where that is not known. */
export function valueGroups(issues: Issue[], cellOf: (issue: Issue) => CellValue | null | undefined): ValueGroup[] {
  const found = new Map<string, ValueGroup>();
  for (const issue of issues) {
    if (issue.field === null || !issue.cell) continue;
    const key = JSON.stringify([issue.field, issue.rule]);
    const group = found.get(key) ?? emptyGroup(issue.field, issue);
    found.set(key, group);
    group.count += 1;
    const cell = cellOf(issue);
    if (cell?.type === "text" && !cell.is_cut) addValue(group, String(cell.value), issue.message);
  }
  for (const group of found.values()) group.values.sort((one, other) => other.count - one.count);
  return [...found.values()].sort((one, other) => other.count - one.count);
}

function emptyGroup(field: string, { rule, message }: Issue): ValueGroup {
  return { field, rule, message: message.replace(NEAREST, ""), count: 0, values: [] };
}

const NEAREST = /; the nearest is "(.*)"$/;

function addValue(group: ValueGroup, value: string, message: string): void {
  const known = group.values.find((one) => one.value === value);
  if (known) known.count += 1;
  else group.values.push({ value, count: 1, nearest: NEAREST.exec(message)?.[1] ?? null });
}

/** "These values become that"; null makes the cells empty. */
export function valueCorrections(field: string, values: string[], becomes: string | null): Correction[] {
  return values.map((value) => ({ kind: "value", field, value, new: becomes }));
}
