/** What was changed, in words. */
import type { AuditEntry } from "~/api/types";

const DIGEST = /^[0-9a-f]{40,64}$/;

/** "Configuration published" from "configuration.publish". */
export function actionWords(action: string): string {
  const [noun = "", verb = ""] = action.split(".");
  const subject = noun.replaceAll("_", " ");
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}: ${verb.replaceAll("_", " ")}`;
}

/** What became of each part: "name: Starter", "published: 1 → 2", "columns/email.py edited". */
export function changeWords(row: Pick<AuditEntry, "changes" | "subject_kind" | "subject_id">): string {
  const parts = Object.entries(row.changes).map(([name, [before, after]]) => partWords(name, before, after));
  return parts.join(", ") || `${row.subject_kind.replaceAll("_", " ")} ${row.subject_id.slice(-12)}`;
}

function partWords(name: string, before: unknown, after: unknown): string {
  // Nobody compares digests by eye; that they differ is the news.
  if ([before, after].some((value) => typeof value === "string" && DIGEST.test(value)))
    return `${name} ${isNothing(before) ? "added" : isNothing(after) ? "removed" : "edited"}`;
  if (isNothing(before)) return `${name}: ${shown(after)}`;
  return `${name}: ${shown(before)} → ${shown(after)}`;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function shown(value: unknown): string {
  if (isNothing(value)) return "none";
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
