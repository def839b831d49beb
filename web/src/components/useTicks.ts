import { useState } from "react";
import { ticked } from "~/logic/selection";

export interface Ticks {
  chosen: ReadonlySet<string>;
  isAll: boolean;
  isPartly: boolean;
  toggle: (id: string, isShift: boolean) => void;
  /** Tick all of the list; when some are ticked, none. */
  toggleAll: () => void;
  clear: () => void;
}

/** Which rows of a list are ticked. Shift ticks all from the last one to this. */
export function useTicks(ids: string[]): Ticks {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const isEvery = ids.every((id) => chosen.has(id));
  return {
    chosen,
    isAll: chosen.size > 0 && isEvery,
    isPartly: chosen.size > 0 && !isEvery,
    toggle: (id, isShift) => {
      setChosen(ticked(chosen, ids, isShift ? last : null, id));
      setLast(id);
    },
    toggleAll: () => setChosen(new Set(chosen.size > 0 ? [] : ids)),
    clear: () => setChosen(new Set()),
  };
}
