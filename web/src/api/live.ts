/** Keeps the page up to date by the stream of changes. While that is down, pages ask again every few seconds instead. */
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { RunFollowers, type RunFollower } from "./followers";
import { Hub, type HubState } from "./hub";
import type { ServerEvent } from "./sse";
import { invalidate, isRead, staleKeys } from "./stale";

const SHOWN_AFTER_MS = 5000;
const GATHER_MS = 250;
const POLL_MS = 4000;

let state: HubState = "off";
let isShownAsDown = false;
let alarm: ReturnType<typeof setTimeout> | undefined;
let hub: Hub | undefined;
const followers = new RunFollowers();
const watchers = new Set<() => void>();

/** The one owner of the connection's state, and of whether the page shows that it is lost. */
function become(next: HubState): void {
  state = next;
  if (next === "down") alarm ??= setTimeout(() => show(true), SHOWN_AFTER_MS);
  else {
    clearTimeout(alarm);
    alarm = undefined;
    isShownAsDown = false;
  }
  for (const notify of watchers) notify();
}

function show(isShown: boolean): void {
  isShownAsDown = isShown;
  for (const notify of watchers) notify();
}

function watch(notify: () => void): () => void {
  watchers.add(notify);
  return () => watchers.delete(notify);
}

export function useIsDown(): boolean {
  return useSyncExternalStore(watch, () => isShownAsDown);
}

export function useIsLive(): boolean {
  return useSyncExternalStore(watch, () => state === "live");
}

export function pollInterval(): number | false {
  return state === "live" ? false : POLL_MS;
}

/** Follow the stream, from sign-in until the returned function is called. */
export function startLive(client: QueryClient): () => void {
  const stale = new Set<string>();
  let gathering: ReturnType<typeof setTimeout> | undefined;
  const refresh = (): void => {
    gathering = undefined;
    for (const key of stale) invalidate(client, key);
    stale.clear();
  };
  const take = (event: ServerEvent): void => {
    const type = typeOf(event);
    // Too much happened without a listener to be sent again.
    if (type === "reset") void client.invalidateQueries({ predicate: isRead });
    for (const key of staleKeys(type)) stale.add(key);
    if (stale.size > 0) gathering ??= setTimeout(refresh, GATHER_MS);
  };
  const started = new Hub(
    {
      take,
      become,
      miss: () =>
        void client.invalidateQueries({ predicate: (query) => isRead(query) && query.state.data !== undefined }),
      refuse: () => void client.invalidateQueries({ queryKey: ["session"] }),
    },
    followers,
  );
  hub = started;
  return () => {
    started.close();
    clearTimeout(gathering);
    if (hub === started) hub = undefined;
  };
}

/** Hear of the events of a run until the returned function is called. */
export function followRun(runId: string, follower: RunFollower): () => void {
  followers.add(runId, follower);
  hub?.tellWanted();
  return () => followers.remove(runId, follower);
}

function typeOf(event: ServerEvent): string {
  try {
    return String((JSON.parse(event.data) as { type?: unknown }).type ?? event.name);
  } catch {
    return event.name;
  }
}
