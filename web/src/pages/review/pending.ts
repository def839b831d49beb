/**
 * The corrections that somebody has chosen for a run and not finished: one set for each run, shared by all pages of a
 * tab. A later correction of the same thing replaces an earlier one, as in the engine.
 */
import { useSyncExternalStore } from "react";
import type { Correction } from "~/api/types";
import { doOverlap, parseRange } from "~/logic/a1";
import { comparable } from "~/logic/headers";
import { OF_DOCUMENTS as KEY, SIGNED_OUT } from "~/shell/signedOut";

export type Corrections = readonly Correction[];

const NONE: Corrections = [];
const sets = new Map<string, Corrections>();
const listeners = new Set<() => void>();

// They hold values of documents: nothing of them outlasts the session.
window.addEventListener(SIGNED_OUT, () => {
  sets.clear();
  listeners.forEach((listener) => listener());
});

/** The corrections that wait to be finished, in the order they were made; the component follows changes. */
export function usePending(runId: string): Corrections {
  return useSyncExternalStore(subscribe, () => pendingOf(runId));
}

export function pendingOf(runId: string): Corrections {
  const held = sets.get(runId);
  if (held) return held;
  const kept = restored(runId);
  sets.set(runId, kept);
  return kept;
}

/** Add corrections; those about the same things that wait already are replaced. */
export function addPending(runId: string, ...added: Correction[]): void {
  let found = [...pendingOf(runId)];
  for (const one of added) {
    found = found.filter(
      (other) => subjectOf(other) !== subjectOf(one) && !takesFieldFrom(one, other) && !isSameTable(one, other),
    );
    found.push(one);
  }
  keep(runId, withoutUnused(found));
}

/** Remove corrections about the same things as these; with a new field goes what was given to it. */
export function removePending(runId: string, ...removed: Correction[]): void {
  const subjects = new Set(removed.map(subjectOf));
  const gone = new Set(removed.flatMap((one) => (one.kind === "new_field" ? [one.field] : [])));
  const isLeft = (one: Correction): boolean =>
    !subjects.has(subjectOf(one)) && !("field" in one && one.field && gone.has(one.field));
  keep(runId, withoutUnused(pendingOf(runId).filter(isLeft)));
}

/** A new field without a column is nothing anybody asked for: its column was given to something else. */
function withoutUnused(found: Corrections): Corrections {
  const used = new Set(found.flatMap((one) => (isOfColumn(one) ? [one.field] : [])));
  return found.filter((one) => one.kind !== "new_field" || used.has(one.field));
}

/** Remove all: they were finished, or given up. */
export function clearPending(runId: string): void {
  keep(runId, NONE);
}

/** What a correction is about; of two about the same, the later holds. */
export function subjectOf(one: Correction): string {
  return JSON.stringify([one.kind, ...thingOf(one)]);
}

function thingOf(one: Correction): (string | number | null)[] {
  switch (one.kind) {
    case "header":
      return [comparable(one.header), one.sheet ?? null];
    case "column":
      return [one.column, one.sheet ?? null];
    case "value":
      return [one.field, one.value];
    case "row":
      return [one.row, one.sheet ?? null];
    case "cell":
      return [one.cell ?? null, one.row ?? null, one.field ?? null, one.sheet ?? null];
    case "range":
      return [one.range, one.sheet ?? null];
    case "sheet":
      return [one.sheet];
    case "field":
    case "new_field":
      return [one.field];
  }
}

function isOfColumn(one: Correction): one is Extract<Correction, { kind: "header" | "column" }> {
  return one.kind === "header" || one.kind === "column";
}

/** Whether a column gets the field that another correction gave to another column of the same sheet. */
function takesFieldFrom(one: Correction, other: Correction): boolean {
  if (!isOfColumn(one) || !isOfColumn(other)) return false;
  const isSameSheet = (one.sheet ?? null) === (other.sheet ?? null);
  return isSameSheet && one.field !== null && one.field === other.field;
}

/** Whether both say where a table is, and cannot both be right: their ranges overlap. */
function isSameTable(one: Correction, other: Correction): boolean {
  if (one.kind !== "range" || other.kind !== "range" || (one.sheet ?? null) !== (other.sheet ?? null)) return false;
  const [here, there] = [parseRange(one.range), parseRange(other.range)];
  return here !== null && there !== null && doOverlap(here, there);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function keep(runId: string, corrections: Corrections): void {
  sets.set(runId, corrections);
  try {
    if (corrections.length > 0) sessionStorage.setItem(KEY + runId, JSON.stringify(corrections));
    else sessionStorage.removeItem(KEY + runId);
  } catch {
    // Without storage they last until the page is loaded again.
  }
  listeners.forEach((listener) => listener());
}

function restored(runId: string): Corrections {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY + runId) ?? "[]");
    return Array.isArray(kept) ? (kept as Corrections) : NONE;
  } catch {
    return NONE;
  }
}
