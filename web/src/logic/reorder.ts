/** Where a run goes when it is dropped, and whether that needs another priority. */
import type { QueuedRun } from "~/api/types";

export type Place = { before: string } | { after: string };

export interface Move {
  runId: string;
  place: Place;
  /** The level it must have for that place; null when it has it already. */
  needsPriority: number | null;
}

type Placed = Pick<QueuedRun, "run_id" | "effective_priority">;

/** Return the move that puts a run in the place of another, before it when it moves up; null if nothing changes. */
export function moveOf(moved: Placed | undefined, target: Placed | undefined, isUp: boolean): Move | null {
  if (!moved || !target || moved.run_id === target.run_id) return null;
  const needsPriority = target.effective_priority === moved.effective_priority ? null : target.effective_priority;
  return {
    runId: moved.run_id,
    place: isUp ? { before: target.run_id } : { after: target.run_id },
    needsPriority,
  };
}

/**
 * Return the rows in their order after these moves. A move that the rows have seen already changes nothing, so
 * it does not matter when the server's answer comes.
 */
export function reordered<Row extends Placed>(rows: Map<number, Row>, moves: Move[]): Map<number, Row> {
  let found = rows;
  for (const move of moves) {
    const [from, to] = stepOf(found, move);
    if (from === to) continue;
    const before = found;
    found = new Map([...before].map(([index, row]) => [index, before.get(sourceOf(index, from, to)) ?? row]));
  }
  return found;
}

/** Return from where to where a move goes; twice the same place when it is made, or where a row is not known. */
function stepOf(rows: Map<number, Placed>, { runId, place }: Move): [number, number] {
  const indexOf = (id: string): number => [...rows].find(([, row]) => row.run_id === id)?.[0] ?? -1;
  const from = indexOf(runId);
  const target = indexOf("before" in place ? place.before : place.after);
  if (from < 0 || target < 0) return [from, from];
  if ("before" in place) return [from, from < target ? target - 1 : target];
  return [from, from < target ? target : target + 1];
}

/** The row at a place once the one at `from` was put at `to`. */
function sourceOf(index: number, from: number, to: number): number {
  if (index === to) return from;
  if (from < to && index >= from && index < to) return index + 1;
  if (to < from && index > to && index <= from) return index - 1;
  return index;
}
