/** What pages about workers, people and settings ask for. Keys are as in queries.ts. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, problemFrom, unreachable } from "./client";
import type { ApiKey, AuditEntry, Listed, Member, Page, SettingsList, User, Worker } from "./types";

const PAGE = 100;

export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: () => api.get<Listed<Worker>>("/workers"),
  refetchInterval: 5000, // a heartbeat is no change worth an event
});

/** Changes and their authors; of one kind of object, or of all. */
export const auditQuery = (kind: string | null) =>
  infiniteQueryOptions({
    queryKey: ["audit", kind],
    queryFn: ({ pageParam }) =>
      api.get<Page<AuditEntry>>("/audit", { cursor: pageParam, limit: PAGE, subject_kind: kind }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });

export interface ServerHealth {
  version: string;
  database: string;
  schema_revision: string;
  warnings: string[];
}

/** Whether the server can take work; served outside of the API, for monitoring. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async (): Promise<ServerHealth> => {
    const [live, ready] = await Promise.all([outside("/healthz"), outside("/readyz")]);
    return {
      version: String(live.version),
      database: String(ready.database),
      schema_revision: String(ready.schema_revision),
      warnings: Array.isArray(ready.warnings) ? ready.warnings.map(String) : [],
    };
  },
  refetchInterval: 15_000,
});

async function outside(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(path).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw problemFrom(response.status, await response.text(), null);
  return (await response.json()) as Record<string, unknown>;
}

export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["workspaces", workspaceId, "members"],
    queryFn: () => api.get<Listed<Member>>(`/workspaces/${workspaceId}/members`),
  });

export const usersQuery = queryOptions({ queryKey: ["users"], queryFn: () => api.get<Listed<User>>("/users") });

export const keysQuery = queryOptions({ queryKey: ["api keys"], queryFn: () => api.get<Listed<ApiKey>>("/api-keys") });

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => api.get<SettingsList>("/settings"),
});
