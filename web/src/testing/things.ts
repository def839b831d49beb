/** Things the API sends, complete, with what a test cares about in place of the usual. */
import type { Artifact, ArtifactColumn, ArtifactSheet, ArtifactTable, Issue } from "~/api/artifact";
import type {
  ApiKey,
  Cells,
  Configuration,
  Document,
  Member,
  Queue,
  QueuedRun,
  Run,
  Session,
  User,
  Worker,
  Workspace,
} from "~/api/types";

const AT = "2026-03-01T10:00:00Z";

export const workspace = (part: Partial<Workspace> = {}): Workspace => ({
  id: "w1",
  name: "Finance",
  slug: "finance",
  role: "admin",
  max_running: null,
  created_at: AT,
  preferences: {} as Workspace["preferences"],
  ...part,
});

const COMMON = {
  verdict: "ready",
  verdict_reason: "All 4 fields were found, and no cell has an issue.",
  fit: 1,
  memory_mb: null,
  cpu_count: null,
  corrections: null,
  proposal: null,
} as const;

export const run = (part: Partial<Run> = {}): Run => ({
  id: "run-1",
  workspace_id: "w1",
  status: "succeeded",
  build: { id: "build-1", status: "ready" } as unknown as Run["build"],
  build_id: "build-1",
  configuration_id: "c1",
  configuration_name: "Members",
  version: 3,
  is_test: false,
  is_trial: false,
  input_document_id: "d1",
  document_name: "members.xlsx",
  priority: 50,
  effective_priority: 50,
  position: null,
  estimated_start: null,
  estimated_start_at: null,
  waiting_for: null,
  waiting_reason: null,
  created_at: AT,
  scheduled_at: null,
  ready_at: AT,
  started_at: "2026-03-01T10:00:05Z",
  finished_at: "2026-03-01T10:00:09Z",
  cancel_requested_at: null,
  files_removed_at: null,
  failure: null,
  ...COMMON,
  isolation: "isolated",
  worker: "worker-a",
  submitted_by: "Ada",
  sheets: null,
  metrics: null,
  plan_id: null,
  phase: null,
  runtime_network_access: false,
  links: {},
  ...part,
});

export const document = (part: Partial<Document> = {}): Document => ({
  id: "d1",
  workspace_id: "w1",
  name: "members.xlsx",
  size_bytes: 20_480,
  media_type: "application/octet-stream",
  sha256: "0".repeat(64),
  tags: [],
  sheets: [{ index: 0, name: "Members", visibility: "visible", is_active: true }],
  sheet_count: 1,
  encoding: null,
  duplicate_of: null,
  produced_by: null,
  created_at: AT,
  newest_run: null,
  created_by: "Ada",
  links: {},
  ...part,
});

export const configuration = (part: Partial<Configuration> = {}): Configuration => ({
  id: "c1",
  workspace_id: "w1",
  name: "Members",
  published_version: 3,
  draft_version: null,
  archived_at: null,
  created_at: AT,
  created_by: "Ada",
  links: {},
  ...part,
});

export const queuedRun = (position: number, part: Partial<QueuedRun> = {}): QueuedRun => ({
  run_id: `run-${position}`,
  workspace_id: "w1",
  position,
  build_id: "build-1",
  configuration_id: "c1",
  configuration_name: "Members",
  version: 3,
  input_document_id: `d${position}`,
  document_name: `document ${position}.xlsx`,
  priority: 50,
  effective_priority: 50,
  is_placed: false,
  waiting_for: "capacity",
  waiting_reason: "All slots are in use.",
  estimated_start: null,
  estimated_start_at: null,
  submitted_by: "Ada",
  created_at: AT,
  ready_at: AT,
  memory_mb: null,
  cpu_count: null,
  plan_id: null,
  phase: null,
  ...part,
});

export const queue = (part: Partial<Queue> = {}): Queue => ({
  version: 7,
  items: [],
  running: [],
  pauses: [],
  next_cursor: null,
  capacity: {
    slots: 4,
    worker_count: 1,
    running_count: 0,
    queued_count: part.items?.length ?? 0,
    queue_size: 1000,
    max_running: null,
    waiting_since: null,
  },
  ...part,
});

export const worker = (part: Partial<Worker> = {}): Worker => ({
  id: "worker-1",
  name: "worker-a",
  host: "host-a",
  process_id: 41,
  version: "1.0",
  slots: 2,
  running: [],
  is_alive: true,
  idle_reason: null,
  isolation: "isolated",
  surroundings: "linux",
  details: {},
  memory_mb: null,
  cpu_count: null,
  started_at: AT,
  heartbeat_at: AT,
  stopped_at: null,
  drain_requested_at: null,
  ...part,
});

export const member = (part: Partial<Member> = {}): Member => ({
  user_id: "u1",
  name: "Ada",
  email: "ada@example.org",
  role: "admin",
  created_at: AT,
  ...part,
});

export const user = (part: Partial<User> = {}): User => ({
  id: "u1",
  name: "Ada",
  email: "ada@example.org",
  is_admin: false,
  created_at: AT,
  disabled_at: null,
  last_login_at: null,
  ...part,
});

export const apiKey = (part: Partial<ApiKey> = {}): ApiKey => ({
  id: "k1",
  name: "Nightly import",
  email: "ada@example.org",
  prefix: "ade_abc",
  scopes: ["read"],
  workspace_id: null,
  created_at: AT,
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  ...part,
});

export const session = (part: Partial<Session> = {}): Session => ({
  mode: "team",
  user_id: "u1",
  name: "Ada",
  email: "ada@example.org",
  is_admin: true,
  csrf_token: "token",
  memberships: [],
  ...part,
});

export const column = (
  source: string,
  header: string,
  target: string | null,
  part: Partial<ArtifactColumn> = {},
): ArtifactColumn => ({
  source,
  header,
  target,
  score: target ? 1 : null,
  margin: target ? 0.5 : null,
  contributions: [],
  runner_up: null,
  reason: target ? "best" : "no_candidate",
  lost_to: null,
  confidence: null,
  suggestions: [],
  learned_from: null,
  ...part,
});

export const issue = (part: Partial<Issue> = {}): Issue => ({
  sheet: "Members",
  cell: "B2",
  field: "email",
  rule: "required",
  severity: "error",
  message: "is required",
  ...part,
});

export const table = (part: Partial<ArtifactTable> = {}): ArtifactTable => ({
  output: "Members",
  file: "normalized.xlsx",
  is_complete: true,
  range: "A1:C4",
  confidence: 0.9,
  transposed: null,
  header: { rows: [1], score: 5, margin: 1, confidence: 0.9, contributions: [], runner_up: null },
  title_rows: [],
  note_rows: [],
  totals_rows: [],
  group_rows: [],
  groups: [],
  totals: [],
  repeated_header_rows: [],
  hidden: { rows: 0, columns: [] },
  columns: [column("A", "ID", "member_id"), column("B", "Mail", "email"), column("C", "Note", null)],
  transform: {},
  reshaped: { dropped: {}, added: {}, totals: { checked: 0, wrong: 0 } },
  issues: [],
  issue_counts: { total: 0, info: 0, warning: 0, error: 0, cells: 0, whole: 0, fields: {}, rules: {} },
  rows: { read: 3, written: 3, skipped: 0 },
  ...part,
});

export const sheet = (part: Partial<ArtifactSheet> = {}): ArtifactSheet => ({
  name: "Members",
  visibility: "visible",
  skipped: null,
  is_complete: true,
  formulas_without_value: 0,
  issues: [],
  issue_counts: { total: 0, info: 0, warning: 0, error: 0, cells: 0, whole: 0, fields: {}, rules: {} },
  tables: [table()],
  ...part,
});

export const artifact = (
  sheets: ArtifactSheet[] = [sheet()],
  issues: Partial<Artifact["summary"]["issues"]> = {},
): Artifact => {
  const tables = sheets.flatMap((one) => one.tables);
  const columns = tables.flatMap((one) => one.columns);
  const mapped = columns.filter((one) => one.target !== null).length;
  return {
    version: 1,
    run: { id: "run-1", status: "succeeded", failure: null },
    verdict: null,
    engine: { name: "ade-engine", version: "1" },
    configuration: null,
    input: { name: "members.xlsx" },
    outputs: [],
    sheets,
    summary: {
      sheets: { total: sheets.length, read: sheets.length, skipped: 0, hidden: 0, without_table: 0 },
      tables: tables.length,
      columns: { total: columns.length, mapped, unmapped: columns.length - mapped },
      rows: { read: 3, written: tables.reduce((sum, one) => sum + one.rows.written, 0), skipped: 0 },
      formulas_without_value: 0,
      values_changed: 0,
      hidden: { rows: 0, columns: 0 },
      issues: { total: 0, info: 0, warning: 0, error: 0, ...issues },
    },
  };
};

/** Cells of text from A1 on; null for an empty one. */
export const cells = (rows: (string | null)[][]): Cells => ({
  sheet: { index: 0, name: "Members" } as unknown as Cells["sheet"],
  range: "A1:C4",
  rows: rows.map((values, index) => ({
    row: index + 1,
    is_hidden: false,
    cells: values.map((value) => (value === null ? null : { type: "text" as const, value, is_cut: false })),
  })),
  is_whole: true,
  has_more_rows: false,
  last_row: rows.length,
  hidden_columns: [],
  merged: [],
  encoding: null,
  other_encoding: null,
});
