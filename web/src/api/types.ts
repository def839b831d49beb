/** What the API sends, under the names the pages use. */

export type RunStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled";
export type BuildStatus = "queued" | "building" | "ready" | "failed" | "cancelled";
export type WaitingFor = "build" | "earlier_phase" | "document_busy" | "paused" | "capacity" | "scheduled";
export type Role = "viewer" | "operator" | "author" | "admin";

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Failure {
  code: string;
  message: string;
  resource?: string | null;
}

export interface Counts {
  total: number;
  info: number;
  warning: number;
  error: number;
}

export interface Workspace {
  id: string;
  slug: string;
  name: string;
  role: Role;
  max_running: number | null;
  created_at: string;
}

export interface Session {
  auth_mode: "local" | "team";
  user: { id: string | null; name: string; email: string | null };
  is_admin: boolean;
  csrf_token: string | null;
  roles: Record<string, Role>;
}

export interface Sheet {
  index: number;
  name: string | null;
  visibility: string;
  is_active: boolean;
}

export interface Document {
  id: string;
  workspace_id: string;
  name: string;
  size_bytes: number;
  sha256: string;
  media_type: string;
  sheets: Sheet[];
  tags: string[];
  created_by: string | null;
  created_at: string;
  duplicate_of?: string | null;
}

export interface EstimatedStart {
  earliest_at: string;
  likely_at: string;
  latest_at: string;
}

export interface Run {
  id: string;
  workspace_id: string;
  configuration_id: string;
  configuration_name: string;
  version: number;
  is_test: boolean;
  input_document_id: string;
  document_name: string;
  build_id: string;
  build: { id: string; status: BuildStatus };
  plan_id: string | null;
  phase: number | null;
  status: RunStatus;
  waiting_for: WaitingFor | null;
  position: number | null;
  estimated_start: EstimatedStart | null;
  priority: number;
  effective_priority: number;
  created_at: string;
  ready_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  failure: Failure | null;
  isolation: string | null;
  metrics: Record<string, unknown> | null;
  sheets: string[] | null;
  runtime_network_access: boolean;
  submitted_by: string | null;
  cancel_requested_at: string | null;
  worker: string | null;
  links: Record<string, string>;
}

export interface RunEvent {
  seq: number;
  at: string;
  type: string;
  [key: string]: unknown;
}

export interface Build {
  id: string;
  configuration_id: string;
  configuration_name: string;
  version: number;
  fingerprint: string;
  status: BuildStatus;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  failure: Failure | null;
  size_bytes: number | null;
  is_test: boolean;
  waiting_run_count: number;
  worker: string | null;
  manifest: Record<string, unknown> | null;
  metrics: Record<string, unknown> | null;
  links: Record<string, string>;
}

export interface Configuration {
  id: string;
  workspace_id: string;
  name: string;
  created_at: string;
  created_by: string | null;
  archived_at: string | null;
  published_version: number | null;
  draft_version: number | null;
}

export interface Version {
  number: number;
  status: "draft" | "published" | "archived";
  note: string | null;
  created_by: string | null;
  created_at: string;
  published_at: string | null;
}

export interface ConfigurationFile {
  path: string;
  size_bytes: number;
  sha256: string;
}

export interface ConfigurationProblem {
  file: string;
  line: number;
  code: string;
  message: string;
  suggestion: string | null;
  severity: "error" | "warning";
}

export interface Pause {
  id: string;
  scope: "all" | "priority" | "workspace" | "plan";
  value: string | null;
  reason: string;
  created_by: string | null;
  created_at: string;
}

export interface QueuedRun {
  run_id: string;
  position: number;
  priority: number;
  effective_priority: number;
  waiting_for: WaitingFor;
  estimated_start: EstimatedStart | null;
  workspace_id: string;
  configuration_id: string;
  configuration_name: string;
  version: number;
  input_document_id: string;
  document_name: string;
  build_id: string;
  plan_id: string | null;
  phase: number | null;
  submitted_by: string | null;
  created_at: string;
  is_placed: boolean;
}

export interface Queue {
  items: QueuedRun[];
  next_cursor: string | null;
  running: Run[];
  capacity: {
    slots: number;
    running_count: number;
    queued_count: number;
    queue_size: number;
    max_running: number | null;
    worker_count: number;
  };
  pauses: Pause[];
  version: number;
}

export interface Estimate {
  position: number;
  estimated_start: EstimatedStart | null;
}

export interface Percentiles {
  priority: number;
  level: string | null;
  p50_seconds: number | null;
  p90_seconds: number | null;
  p99_seconds: number | null;
}

export interface AnalyticsSlice {
  at: string;
  succeeded_count: number;
  failed_count: number;
  cancelled_count: number;
  rejected_count: number;
  utilisation: number | null;
}

export interface Analytics {
  since: string;
  wait: Percentiles[];
  run: Percentiles[];
  slices: AnalyticsSlice[];
}

export interface Worker {
  id: string;
  name: string;
  host: string;
  process_id: number;
  version: string;
  slots: number;
  running: string[];
  isolation: string | null;
  details: Record<string, unknown>;
  idle_reason: string | null;
  started_at: string;
  heartbeat_at: string;
  drain_requested_at: string | null;
  stopped_at: string | null;
  is_alive: boolean;
}

export interface AuditEntry {
  position: number;
  at: string;
  actor_kind: string;
  actor_name: string;
  action: string;
  subject_kind: string;
  subject_id: string;
  changes: Record<string, [unknown, unknown]>;
  reason: string | null;
}

export interface CellValue {
  type: "text" | "number" | "boolean" | "date" | "datetime" | "time" | "duration" | "error";
  value: string | number | boolean;
}

export interface CellRow {
  row: number;
  is_hidden: boolean;
  cells: (CellValue | null)[];
}

export interface Cells {
  sheet: { index: number; name: string | null };
  range: string;
  rows: CellRow[];
  merged: string[];
  hidden_columns: number[];
  has_more_rows: boolean;
}
