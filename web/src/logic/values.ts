/** Values with issues, by the field they are in, and what was decided about them. */
import type { ValueCorrection, ValueGroup } from "~/api/types";
import { clusters, type Cluster } from "./similar";

export interface FieldValues {
  field: string;
  /** Cells with issues. */
  count: number;
  groups: ValueGroup[];
}

/** The groups by field, the field with the most cells first. */
export function byField(groups: readonly ValueGroup[]): FieldValues[] {
  const found = new Map<string, ValueGroup[]>();
  for (const group of groups) found.set(group.field, [...(found.get(group.field) ?? []), group]);
  return [...found]
    .map(([field, own]) => ({ field, groups: own, count: own.reduce((sum, one) => sum + one.count, 0) }))
    .sort((one, other) => other.count - one.count);
}

/** Whether something can be decided about a value: there is one, and it is known whole. */
export const isCorrectable = (group: ValueGroup): boolean => group.value !== null && !group.is_cut;

/** What was decided about a value, of the corrections that wait. */
export function decidedOf(group: ValueGroup, pending: readonly { kind: string }[]): ValueCorrection | undefined {
  return pending.find((one): one is ValueCorrection => {
    if (one.kind !== "value") return false;
    const { field, value } = one as ValueCorrection;
    return field === group.field && value === group.value;
  });
}

/** "becomes Norway", "is made empty" */
export function decisionWords({ outcome, new: becomes }: Partial<ValueCorrection>): string {
  if (outcome === "accept") return "is right as it is";
  if (outcome === "drop") return "has its rows left out";
  return becomes === null || becomes === undefined ? "is made empty" : `becomes “${String(becomes)}”`;
}

/** Values of a field that look alike; each of them once, whatever is wrong with it. */
export function alike({ groups }: FieldValues): Cluster[] {
  const counts = new Map<string, number>();
  for (const one of groups.filter(isCorrectable))
    counts.set(one.value as string, Math.max(counts.get(one.value as string) ?? 0, one.count));
  return clusters([...counts].map(([value, count]) => ({ value, count })));
}
