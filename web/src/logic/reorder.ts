/** Where a run goes when it is dropped, and whether that needs another priority. */
import type { QueuedRun } from "~/api/types";

export interface Move {
  runId: string;
  place: { before: string } | { after: string };
  /** The level it must have to stand there; null when it has it already. */
  needsPriority: number | null;
}

/** Return the move that takes the run at `from` to `to` in the list; null when nothing would change. */
export function moveOf(items: QueuedRun[], from: number, to: number): Move | null {
  const moved = items[from];
  const target = items[to];
  if (!moved || !target || from === to) return null;
  const isUp = to < from;
  const needsPriority = target.effective_priority === moved.effective_priority ? null : target.effective_priority;
  return {
    runId: moved.run_id,
    place: isUp ? { before: target.run_id } : { after: target.run_id },
    needsPriority,
  };
}

/** The list as it will look, so that a dropped row does not jump back while the server is asked. */
export function reordered(items: QueuedRun[], from: number, to: number): QueuedRun[] {
  const list = [...items];
  const [moved] = list.splice(from, 1);
  if (moved) list.splice(to, 0, moved);
  return list.map((item, index) => ({ ...item, position: (items[0]?.position ?? 1) + index }));
}
