/** The versions of a configuration in words, and which two are worth comparing. */
import type { Version } from "~/api/types";

/** Whether it was a draft that was never published. */
export function isDiscarded(version: Version): boolean {
  return version.status === "archived" && version.published_at === null;
}

/** "Version 3 (draft)". */
export function versionWords(version: Version): string {
  const state = isDiscarded(version) ? "discarded" : version.status;
  return `Version ${version.number}${state === "archived" ? "" : ` (${state})`}`;
}

/** The newest version that counts, and what was published before it; null when there are no two versions. */
export function comparedVersions(versions: Version[]): { before: number; after: number } | null {
  const after = versions.find((version) => !isDiscarded(version)) ?? versions[0];
  if (!after) return null;
  const others = versions.filter((version) => version.number !== after.number);
  const before = others.find((one) => one.published_at !== null && one.number < after.number) ?? others[0];
  return before ? { before: before.number, after: after.number } : null;
}
