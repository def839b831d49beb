/** One stream of changes for the whole page. While it is down, pages ask again every few seconds instead. */
import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { addressOf } from "./client";

export type LiveState = "connecting" | "live" | "down";

const SHOWN_AFTER_MS = 5000;
const GATHER_MS = 250;
const POLL_MS = 4000;

let state: LiveState = "connecting";
let isShownAsDown = false;
const watchers = new Set<() => void>();

function become(next: LiveState, isShown: boolean): void {
  if (state === next && isShownAsDown === isShown) return;
  state = next;
  isShownAsDown = isShown;
  for (const tell of watchers) tell();
}

function watch(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}

export function useIsDown(): boolean {
  return useSyncExternalStore(watch, () => isShownAsDown);
}

export function pollInterval(): number | false {
  return state === "live" ? false : POLL_MS;
}

/** The nouns of the queries an event makes stale. */
export function staleKeys(type: string): string[] {
  const noun = type.split(".")[0] ?? "";
  const known: Record<string, string[]> = {
    run: ["runs", "queue", "builds"],
    queue: ["queue", "runs"],
    pause: ["queue", "runs"],
    build: ["builds", "runs", "queue"],
    document: ["documents"],
    configuration: ["configurations", "configuration files"],
    worker: ["workers", "queue"],
    plan: ["runs", "queue"],
    workspace: ["workspaces", "session"],
    member: ["workspaces", "session"],
    user: ["users"],
    api_key: ["api keys"],
  };
  return known[noun] ?? [];
}

/** Follow the stream until the page goes away. */
export function startLive(client: QueryClient): void {
  const stale = new Set<string>();
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let alarm: ReturnType<typeof setTimeout> | undefined;

  const refresh = (): void => {
    gathering = undefined;
    for (const key of stale) void client.invalidateQueries({ queryKey: [key] });
    stale.clear();
  };
  const take = (event: MessageEvent<string>): void => {
    // Too much happened while nobody listened for it to be told again.
    if (typeOf(event) === "reset") {
      void client.invalidateQueries();
      return;
    }
    for (const key of staleKeys(typeOf(event))) stale.add(key);
    if (stale.size > 0) gathering ??= setTimeout(refresh, GATHER_MS);
  };

  const source = new EventSource(addressOf("/events"));
  source.onopen = () => {
    clearTimeout(alarm);
    alarm = undefined;
    const wasDown = state === "down";
    become("live", false);
    // What happened while nobody listened is not told again.
    if (wasDown) void client.invalidateQueries();
  };
  source.onerror = () => {
    become("down", isShownAsDown);
    alarm ??= setTimeout(() => become("down", true), SHOWN_AFTER_MS);
    // A refused stream is not opened again by the browser: load the page anew once the server answers.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => reopen(client), POLL_MS);
  };
  source.onmessage = take;
  for (const name of EVENT_NAMES) source.addEventListener(name, take as EventListener);
}

function reopen(client: QueryClient): void {
  startLive(client);
}

const EVENT_NAMES = ["change"];

function typeOf(event: MessageEvent<string>): string {
  try {
    const sent = JSON.parse(event.data) as { type?: unknown; kind?: unknown };
    return String(sent.type ?? sent.kind ?? event.type);
  } catch {
    return event.type;
  }
}
