/** Where a run goes when it is dropped, and whether that needs another priority. */
import type { QueuedRun } from "~/api/types";

export interface Move {
  runId: string;
  place: { before: string } | { after: string };
  /** The level it must have to stand there; null when it has it already. */
  needsPriority: number | null;
}

type Placed = Pick<QueuedRun, "run_id" | "effective_priority">;

/** Return the move that puts a run where another stands, before it when it moves up; null when nothing would change. */
export function moveOf(moved: Placed | undefined, target: Placed | undefined, isUp: boolean): Move | null {
  if (!moved || !target || moved.run_id === target.run_id) return null;
  const needsPriority = target.effective_priority === moved.effective_priority ? null : target.effective_priority;
  return {
    runId: moved.run_id,
    place: isUp ? { before: target.run_id } : { after: target.run_id },
    needsPriority,
  };
}

/** Which row stands at a place once the one at `from` was put at `to`; a dropped row does not jump back meanwhile. */
export function sourceOf(index: number, moved: { from: number; to: number } | null): number {
  if (!moved) return index;
  const { from, to } = moved;
  if (index === to) return from;
  if (from < to && index >= from && index < to) return index + 1;
  if (to < from && index > to && index <= from) return index - 1;
  return index;
}
