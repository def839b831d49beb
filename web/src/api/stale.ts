/** Which answers an event makes stale, and how they are asked for again. */
import type { Query, QueryClient } from "@tanstack/react-query";

/** The nouns of the queries an event makes stale. */
export function staleKeys(type: string): string[] {
  const noun = type.split(".")[0] ?? "";
  const known: Record<string, string[]> = {
    run: ["runs", "queue", "builds", "plans"],
    queue: ["queue", "runs"],
    pause: ["queue", "runs"],
    build: ["builds", "runs", "queue"],
    document: ["documents"],
    configuration: ["configurations", "configuration files"],
    worker: ["workers", "queue"],
    plan: ["plans", "runs", "queue"],
    workspace: ["workspaces", "session"],
    member: ["workspaces", "session"],
    user: ["users"],
    api_key: ["api keys"],
  };
  return known[noun] ?? [];
}

/** Whether a query only reads: to ask a trial again would run a document again, with the same result. */
export const isRead = ({ queryKey }: Query): boolean => queryKey[0] !== "trials";

const MOST_PAGES = 3;

/** Refetch stale data. Of a long list that was scrolled through, only the beginning: nothing else is new. */
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
