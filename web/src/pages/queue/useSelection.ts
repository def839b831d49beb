import { useCallback, useEffect, useRef, useState } from "react";
import type { QueuedRun } from "~/api/types";
import { showProblem } from "~/components/feedback";
import { ticked } from "~/logic/selection";

export interface Selection {
  chosen: ReadonlySet<string>;
  tick: (id: string, isShift: boolean) => void;
  /** Tick these, or all that wait; when some are ticked, none. */
  toggleAll: (some: QueuedRun[] | null) => void;
  clear: () => void;
}

/** The rows that are ticked; those that wait no longer are left out when something is done with them. */
export function useSelection(loadAll: () => Promise<QueuedRun[]>): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const load = useRef(loadAll);
  useEffect(() => {
    load.current = loadAll;
  });
  const tick = useCallback((id: string, isShift: boolean) => {
    const from = isShift ? last.current : null;
    last.current = id;
    if (from === null) setChosen((before) => ticked(before, [], null, id));
    else
      void load.current().then((all) => {
        const ids = all.map((one) => one.run_id);
        setChosen((before) => ticked(before, ids, from, id));
      }, showProblem);
  }, []);
  const toggleAll = (some: QueuedRun[] | null): void => {
    if (chosen.size > 0) setChosen(new Set());
    else if (some) setChosen(new Set(some.map((one) => one.run_id)));
    else void loadAll().then((all) => setChosen(new Set(all.map((one) => one.run_id))), showProblem);
  };
  return { chosen, tick, toggleAll, clear: () => setChosen(new Set()) };
}
