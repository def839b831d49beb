import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { invalidate, isRead } from "./stale";

const item = (id: string, name = id): { id: string; name: string } => ({ id, name });

it("asks only for the beginning of a long list again, and keeps the rest", async () => {
  const client = new QueryClient();
  const queryKey = ["documents", "w", {}];
  const load = vi.fn(({ pageParam }: { pageParam: unknown }) =>
    Promise.resolve({ items: pageParam === null ? [item("new"), item("a", "renamed")] : [], next_cursor: null }),
  );
  const pages = ["a", "b", "c", "d"].map((id) => ({ items: [item(id)], next_cursor: id }));
  client.getQueryCache().build(client, { queryKey, queryFn: load as never });
  client.setQueryData(queryKey, { pages, pageParams: [null, "a", "b", "c"] });
  invalidate(client, "documents");
  await vi.waitFor(() => {
    const data = client.getQueryData<{ pages: { items: { id: string; name: string }[] }[] }>(queryKey);
    const names = data?.pages.flatMap((page) => page.items.map((one) => one.name));
    expect(names).toEqual(["new", "renamed", "b", "c", "d"]);
  });
  expect(load).toHaveBeenCalledTimes(1);
});

it("does not run documents again because somebody missed events", async () => {
  const client = new QueryClient();
  const load = vi.fn(() => Promise.resolve("a result"));
  for (const queryKey of [
    ["trials", "r1", []],
    ["runs", "r1"],
  ])
    await client.fetchQuery({ queryKey, queryFn: load });
  await client.invalidateQueries({ predicate: isRead });
  const stale = client.getQueryCache().findAll({ predicate: ({ state }) => state.isInvalidated });
  expect(stale.map(({ queryKey }) => queryKey)).toEqual([["runs", "r1"]]);
});
