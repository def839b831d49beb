import { useSyncExternalStore } from "react";
import { absoluteTime, relativeTime } from "~/logic/time";

let now = new Date();
const watchers = new Set<() => void>();

// One clock for all times on the page.
setInterval(() => {
  now = new Date();
  for (const notify of watchers) notify();
}, 1000);

function watch(notify: () => void): () => void {
  watchers.add(notify);
  return () => watchers.delete(notify);
}

/** The time, by the second. */
export function useNow(): Date {
  return useSyncExternalStore(watch, () => now);
}

/** "3 minutes ago", with the full time on hover. The browser's own hint: lists hold hundreds of these. */
export function Time({ at }: { at: string | null | undefined }) {
  const present = useNow();
  if (!at) return <span>–</span>;
  const moment = new Date(at);
  return (
    <time dateTime={at} className="num" title={absoluteTime(moment)}>
      {relativeTime(moment, present)}
    </time>
  );
}
