/** artifact.json, as far as the pages read it. Its schema is published with the engine. */
import type { Counts, Failure } from "./types";

export type Severity = "info" | "warning" | "error";

export interface Contribution {
  rule: string;
  delta: number;
}

export interface ArtifactColumn {
  source: string;
  header: string;
  target: string | null;
  score: number | null;
  margin: number | null;
  contributions: Contribution[];
  runner_up: { field: string; score: number } | null;
  reason: string;
  lost_to: string | null;
}

export interface Issue {
  sheet: string | null;
  cell: string | null;
  field: string | null;
  rule: string;
  severity: Severity;
  message: string;
}

export interface ArtifactTable {
  output: string;
  is_complete: boolean;
  /** The file that holds the table: one for all, or one for each. */
  file: string | null;
  range: string;
  header: {
    rows: number[];
    score: number | null;
    margin: number | null;
    contributions: Contribution[];
    runner_up: { rows: number[]; score: number } | null;
  };
  title_rows: number[];
  note_rows: number[];
  totals_rows: number[];
  group_rows: number[];
  repeated_header_rows: number[];
  /** What the document hides and the output shows. */
  hidden: { rows: number; columns: string[] };
  columns: ArtifactColumn[];
  transform: Record<string, { changed: number; rules: Record<string, number> }>;
  issues: Issue[];
  issue_counts: Counts & { rules: Record<string, number> };
  rows: { read: number; written: number; skipped: number };
}

export interface ArtifactSheet {
  name: string | null;
  visibility: string;
  skipped: "hidden" | "hook" | "failure" | null;
  is_complete: boolean;
  issues: Issue[];
  issue_counts: Counts & { rules: Record<string, number> };
  tables: ArtifactTable[];
}

export interface Summary {
  sheets: { total: number; read: number; skipped: number; hidden: number; without_table: number };
  tables: number;
  columns: { total: number; mapped: number; unmapped: number };
  rows: { read: number; written: number; skipped: number };
  values_changed: number;
  hidden: { rows: number; columns: number };
  issues: Counts;
}

export interface Artifact {
  version: number;
  run: { id: string | null; status: string; failure: Failure | null };
  engine: { name: string; version: string };
  configuration: { name: string; fingerprint: string; fields: number } | null;
  input: { name: string; format?: string; bytes?: number; sha256?: string };
  sheets: ArtifactSheet[];
  summary: Summary;
}
