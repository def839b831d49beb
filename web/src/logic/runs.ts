/** How runs are called. */
import type { Run } from "~/api/types";

/** Whether a run tests a draft; one that tries corrections has a version as others do. */
export const isOfDraft = (run: Pick<Run, "is_test" | "is_trial">): boolean => run.is_test && !run.is_trial;

/** "draft", or "v3". */
export function versionName(run: Pick<Run, "is_test" | "is_trial" | "version">): string {
  return isOfDraft(run) ? "draft" : `v${run.version}`;
}

/** "Run", or what it is only there for. */
export function runKind(run: Pick<Run, "is_test" | "is_trial">): string {
  if (run.is_trial) return "Trial of corrections";
  return run.is_test ? "Test run" : "Run";
}
