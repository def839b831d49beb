/** One stream of changes for the whole page. While it is down, pages ask again every few seconds instead. */
import type { Query, QueryClient } from "@tanstack/react-query";
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

const MOST_PAGES = 3;

/** Ask again for what is stale. Of a long list somebody has scrolled through, only the beginning: nothing else is new. */
export function invalidate(client: QueryClient, key: string): void {
  const isLong = (query: Query): boolean => pagesOf(query.state.data) > MOST_PAGES;
  void client.invalidateQueries({ queryKey: [key], predicate: (query) => !isLong(query) });
  for (const query of client.getQueryCache().findAll({ queryKey: [key], predicate: isLong })) void renew(client, query);
}

function pagesOf(data: unknown): number {
  return isPaged(data) ? data.pages.length : 0;
}

interface Paged {
  pages: { items: { id: string }[]; next_cursor: string | null }[];
  pageParams: unknown[];
}

function isPaged(data: unknown): data is Paged {
  return typeof data === "object" && data !== null && Array.isArray((data as Partial<Paged>).pages);
}

/** Take in a new first page, and keep what was loaded behind it. */
async function renew(client: QueryClient, query: Query): Promise<void> {
  const load = query.options.queryFn as ((context: { pageParam: unknown }) => Promise<Paged["pages"][number]>) | null;
  const first = await load?.({ pageParam: null }).catch(() => null); // the next event asks again
  client.setQueryData(query.queryKey, (before: unknown) => {
    if (!first || !isPaged(before)) return before;
    const fresh = new Map(first.items.map((item) => [item.id, item]));
    const known = new Set(before.pages.flatMap((page) => page.items.map((item) => item.id)));
    const added = first.items.filter((item) => !known.has(item.id));
    const pages = before.pages.map((page, index) => ({
      ...page,
      items: [...(index === 0 ? added : []), ...page.items.map((item) => fresh.get(item.id) ?? item)],
    }));
    return { ...before, pages };
  });
}

/** Follow the stream until the page goes away. */
export function startLive(client: QueryClient): void {
  const stale = new Set<string>();
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let alarm: ReturnType<typeof setTimeout> | undefined;

  const refresh = (): void => {
    gathering = undefined;
    for (const key of stale) invalidate(client, key);
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
