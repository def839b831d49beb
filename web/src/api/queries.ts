/** What pages ask for. The first word of a key is the noun; the live stream throws away what has changed by it. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { parseRange } from "~/logic/a1";
import { AS_IT_IS, isAsItIs, viewQuery, type GridView } from "~/logic/gridView";
import type { Artifact, Issue } from "./artifact";
import { api, Problem, type Query } from "./client";
import { pollInterval } from "./live";
import type {
  Analytics,
  Build,
  Cells,
  CheckResult,
  Configuration,
  ConfigurationFile,
  Document,
  Estimate,
  FoundCells,
  InferredField,
  IssueCounts,
  IssueValues,
  Listed,
  Overview,
  Page,
  Plan,
  Proposal,
  ProposalState,
  Queue,
  Run,
  Session,
  SignInWays,
  Version,
  Workspace,
} from "./types";

const PAGE = 100;

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => api.get<Session>("/session"),
  staleTime: Infinity,
  // Not polled while someone signs in: the form would start again each time.
  refetchInterval: ({ state }) =>
    state.error instanceof Problem && state.error.status === 401 ? false : pollInterval(),
});

/** The ways to sign in here; readable before signing in. */
export const signInQuery = queryOptions({
  queryKey: ["sign-in"],
  queryFn: () => api.get<SignInWays>("/sign-in"),
  staleTime: Infinity,
});

export const workspacesQuery = queryOptions({
  queryKey: ["workspaces"],
  queryFn: () => api.get<Page<Workspace>>("/workspaces"),
  staleTime: 60_000,
});

export const documentsQuery = (workspaceId: string, filter: { name?: string | undefined; tag?: string | undefined }) =>
  infiniteQueryOptions({
    queryKey: ["documents", workspaceId, filter],
    queryFn: ({ pageParam }) =>
      api.get<Page<Document>>(`/workspaces/${workspaceId}/documents`, { ...filter, cursor: pageParam, limit: PAGE }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });

export const documentQuery = (id: string) =>
  queryOptions({ queryKey: ["documents", "one", id], queryFn: () => api.get<Document>(`/documents/${id}`) });

/** The fields that a configuration made from the document would have. */
export const inferredFieldsQuery = (id: string) =>
  queryOptions({
    queryKey: ["cells", id, "fields"],
    queryFn: ({ signal }) => api.get<Listed<InferredField>>(`/documents/${id}/fields`, {}, signal),
    staleTime: Infinity,
    refetchInterval: false,
  });

/** A block of cells. It changes only when another encoding is chosen for the document. */
export const cellsQuery = (source: string, sheet: number, range: string, view: GridView = AS_IT_IS) =>
  queryOptions({
    queryKey: ["cells", source, sheet, range, viewQuery(view)],
    queryFn: async ({ signal }) => {
      const cells = await api.get<Cells>(`${source}/cells`, { sheet, range, ...viewQuery(view) }, signal);
      return isAsItIs(view) ? cells : placed(cells, range);
    },
    staleTime: Infinity,
    // Only the end of the sheet is known later, while a long one is being read.
    refetchInterval: ({ state }) => (state.data && state.data.last_row === null ? 1500 : false),
  });

/** The rows of a view by their places in it. */
function placed(cells: Cells, range: string): Cells {
  const first = parseRange(range)?.firstRow ?? 1;
  return { ...cells, rows: cells.rows.map((row, index) => ({ ...row, row: first + index, number: row.row })) };
}

/** Cells of a sheet that contain a text, from a row on. */
export const foundCellsQuery = (
  source: string,
  sheet: number,
  text: string,
  firstRow: number,
  view: GridView = AS_IT_IS,
) =>
  queryOptions({
    queryKey: ["cells", source, sheet, "found", text, firstRow, viewQuery(view)],
    queryFn: ({ signal }) =>
      api.get<FoundCells>(`${source}/cells/find`, { sheet, text, first_row: firstRow, ...viewQuery(view) }, signal),
    staleTime: Infinity,
    refetchInterval: false,
  });

export interface RunFilter extends Query {
  status?: string | string[] | undefined;
  verdict?: string | undefined;
  document_id?: string | undefined;
  configuration_id?: string | undefined;
  is_test?: boolean | undefined;
  is_newest?: boolean | undefined;
  has_issues?: boolean | undefined;
}

export const runsQuery = (workspaceId: string, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: ["runs", workspaceId, filter],
    queryFn: ({ pageParam }) =>
      api.get<Page<Run>>(`/workspaces/${workspaceId}/runs`, { ...filter, cursor: pageParam, limit: PAGE }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });

/** The newest few, for lists that do not scroll. */
export const recentRunsQuery = (workspaceId: string, filter: RunFilter, limit: number) =>
  queryOptions({
    queryKey: ["runs", workspaceId, filter, limit],
    queryFn: () => api.get<Page<Run>>(`/workspaces/${workspaceId}/runs`, { ...filter, limit }),
  });

/** The state of the workspace; counted from its runs, so it is stale when they are. */
export const overviewQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["runs", workspaceId, "overview"],
    queryFn: () => api.get<Overview>(`/workspaces/${workspaceId}/overview`),
  });

/** What operators corrected for one document; out of date when runs are. */
export const proposalsQuery = (workspaceId: string, state: ProposalState, configurationId?: string) =>
  infiniteQueryOptions({
    queryKey: ["runs", workspaceId, "proposals", state, configurationId],
    queryFn: ({ pageParam }) =>
      api.get<Page<Proposal>>(`/workspaces/${workspaceId}/proposals`, {
        state,
        configuration_id: configurationId,
        cursor: pageParam,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });

export const runQuery = (id: string) =>
  queryOptions({ queryKey: ["runs", "one", id], queryFn: () => api.get<Run>(`/runs/${id}`) });

const LOG_AGAIN_MS = 1000;

/** The last of what a run printed; while it is not over, there may be more in a moment. */
export const runLogEndQuery = (id: string, isOver = true) =>
  queryOptions({
    queryKey: ["runs", "one", id, "log", isOver],
    queryFn: ({ signal }) => api.text(`/runs/${id}/logs`, { tail: 20_000 }, signal),
    refetchInterval: isOver ? false : LOG_AGAIN_MS,
  });

export const artifactQuery = (id: string) =>
  queryOptions({
    queryKey: ["artifacts", id],
    queryFn: ({ signal }) => api.get<Artifact>(`/runs/${id}/artifact`, {}, signal),
    staleTime: Infinity,
    refetchInterval: false,
  });

const ISSUE_PAGE = 1000;

/** Which issues are wanted: of a kind, or of some rows of a sheet. */
export interface IssueFilter extends Query {
  sheet?: string | undefined;
  severity?: string | undefined;
  rule?: string | undefined;
  field?: string | undefined;
  has_no_field?: boolean | undefined;
  first_row?: number;
  last_row?: number;
}

/** How many issues of each kind there are. The server counts a long file in several steps. */
export const issueCountsQuery = (id: string) =>
  queryOptions({
    queryKey: ["issues", id, "counts"],
    queryFn: ({ signal }) => api.get<IssueCounts>(`/runs/${id}/issues/counts`, {}, signal),
    staleTime: Infinity,
    refetchInterval: ({ state }) => (state.data && !state.data.is_complete ? 50 : false),
  });

/** What the cells hold that issues are about: read from the document, by those who may see it. */
export const issueValuesQuery = (id: string) =>
  queryOptions({
    queryKey: ["issues", id, "values"],
    queryFn: ({ signal }) => api.get<IssueValues>(`/runs/${id}/issues/values`, {}, signal),
    staleTime: Infinity,
    refetchInterval: false,
  });

/** The issues of a run, part by part. */
export const issuesQuery = (id: string, filter: IssueFilter) =>
  infiniteQueryOptions({
    queryKey: ["issues", id, "list", filter],
    queryFn: ({ pageParam, signal }) => issuesFrom(id, filter, pageParam, ISSUE_PAGE, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    staleTime: Infinity,
    refetchInterval: false,
  });

/** How many rows of a sheet have their marks asked for at once. */
export const MARK_ROWS = 500;

/** All issues of a block of rows. */
export const issueMarksQuery = (id: string, sheet: string | null, block: number) =>
  queryOptions({
    queryKey: ["issues", id, "marks", sheet, block],
    queryFn: async ({ signal }) => {
      const rows = { first_row: block * MARK_ROWS + 1, last_row: (block + 1) * MARK_ROWS };
      const found = await issuesFrom(id, { sheet: sheet ?? undefined, ...rows }, null, Infinity, signal);
      return found.items;
    },
    staleTime: Infinity,
    refetchInterval: false,
  });

/** Fetch until there are this many: an answer may be short although more follow. */
async function issuesFrom(
  id: string,
  filter: IssueFilter,
  from: string | null,
  most: number,
  signal: AbortSignal,
): Promise<Page<Issue>> {
  const items: Issue[] = [];
  let cursor = from;
  do {
    const limit = Math.min(ISSUE_PAGE, most - items.length);
    const part = await api.get<Page<Issue>>(`/runs/${id}/issues/list`, { ...filter, cursor, limit }, signal);
    items.push(...part.items);
    cursor = part.next_cursor;
  } while (cursor !== null && items.length < most);
  return { items, next_cursor: cursor };
}

/** Cells of the workbook a run wrote; its sheets are the tables of the artifact, in their order. */
export const outputCellsQuery = (id: string, sheet: number, range: string) =>
  queryOptions({
    queryKey: ["outputs", id, sheet, range],
    queryFn: ({ signal }) => api.get<Cells>(`/runs/${id}/output/cells`, { sheet, range }, signal),
    staleTime: Infinity,
    refetchInterval: false,
  });

/** How many runs of the queue are asked for at once. */
export const QUEUE_BLOCK = 100;

/** A part of the queue: pages ask only for what is on the screen, however long it is. */
export const queueBlockQuery = (block: number) =>
  queryOptions({
    queryKey: ["queue", "block", block],
    queryFn: ({ signal }) =>
      api.get<Queue>("/queue", { position: block * QUEUE_BLOCK + 1, limit: QUEUE_BLOCK }, signal),
  });

export const queueQuery = queueBlockQuery(0);

/** Plans, the latest first. */
export const plansQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ["plans", workspaceId],
    queryFn: ({ pageParam }) =>
      api.get<Page<Plan>>(`/workspaces/${workspaceId}/plans`, { cursor: pageParam, limit: 20 }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });

export const estimateQuery = (priority: number) =>
  queryOptions({
    queryKey: ["queue", "estimate", priority],
    queryFn: () => api.get<Estimate>("/queue/estimate", { priority }),
  });

export const analyticsQuery = (window: string) =>
  queryOptions({
    queryKey: ["queue", "analytics", window],
    queryFn: () => api.get<Analytics>("/queue/analytics", { window }),
    staleTime: 30_000,
  });

export const buildsQuery = (configurationId?: string) =>
  queryOptions({
    queryKey: ["builds", configurationId ?? "all"],
    queryFn: () => api.get<Page<Build>>("/builds", { configuration_id: configurationId, limit: PAGE }),
  });

export const buildQuery = (id: string) =>
  queryOptions({ queryKey: ["builds", "one", id], queryFn: () => api.get<Build>(`/builds/${id}`) });

export const buildLogQuery = (id: string) =>
  queryOptions({ queryKey: ["builds", "one", id, "log"], queryFn: () => api.text(`/builds/${id}/logs`) });

export const configurationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["configurations", workspaceId],
    queryFn: () => api.get<Page<Configuration>>(`/workspaces/${workspaceId}/configurations`, { limit: 200 }),
  });

export const configurationQuery = (id: string) =>
  queryOptions({
    queryKey: ["configurations", "one", id],
    queryFn: () => api.get<Configuration>(`/configurations/${id}`),
  });

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["configurations", "one", id, "versions"],
    queryFn: () => api.get<Listed<Version>>(`/configurations/${id}/versions`),
  });

export const filesQuery = (id: string, version: number | null) =>
  queryOptions({
    queryKey: ["configurations", "one", id, "files", version],
    queryFn: () => api.get<Listed<ConfigurationFile>>(`/configurations/${id}/files`, { version }),
  });

export const fileQuery = (id: string, path: string, version: number | null) =>
  queryOptions({
    queryKey: ["configuration files", id, path, version],
    queryFn: () => api.text(`/configurations/${id}/files/${encodePath(path)}`, { version }),
    staleTime: Infinity,
    refetchInterval: false,
  });

/** What is wrong in the draft, as it is saved now. */
export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ["configurations", "one", id, "check"],
    queryFn: () => api.post<CheckResult>(`/configurations/${id}/check`),
    staleTime: 0,
  });

export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
