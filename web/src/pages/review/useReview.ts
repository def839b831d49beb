/** The result of a run as it would be with the corrections that wait. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Artifact } from "~/api/artifact";
import { trialQuery, type Trial } from "~/api/corrections";
import type { Run } from "~/api/types";
import { useForbidden } from "~/shell/workspace";
import type { Corrections } from "./pending";

export interface Review {
  run: Run;
  pending: Corrections;
  /** The run without the corrections, and the newest result that is known with them. */
  before: { run: Run; artifact: Artifact };
  shown: { run: Run; artifact: Artifact };
  /** Whether what is shown does not know all corrections yet. */
  isBehind: boolean;
  isComputing: boolean;
  /** What keeps the result from being computed: it failed, or it takes long and nobody has asked for it. */
  failure: string | null;
  error: Error | null;
  again: () => void;
  isAsked: boolean;
  ask: () => void;
}

const QUICK_MS = 5000;

function failureOf({ run, artifact }: Trial): string | null {
  if (artifact) return null;
  return run.failure?.message ?? `its run ${run.status === "cancelled" ? "was cancelled" : "failed"}.`;
}

export function useReview(run: Run, artifact: Artifact, pending: Corrections): Review {
  const forbidden = useForbidden("operator");
  const [asked, setAsked] = useState<Corrections | null>(null);
  const hasPending = pending.length > 0;
  const isAsked = isQuick(run) || asked === pending;
  const query = useQuery({ ...trialQuery(run.id, pending), enabled: hasPending && isAsked && forbidden === null });
  const found: Trial | undefined = hasPending ? query.data : undefined;
  const before = { run, artifact };
  return {
    run,
    pending,
    before,
    shown: found?.artifact ? { run: found.run, artifact: found.artifact } : before,
    isBehind: hasPending && query.isPlaceholderData,
    isComputing: hasPending && isAsked && query.isFetching,
    failure: query.isFetching || !found ? null : failureOf(found),
    error: hasPending ? query.error : null,
    again: () => void query.refetch(),
    isAsked,
    ask: () => setAsked(pending),
  };
}

/** Whether a result is computed at once, or only when somebody asks for it. */
function isQuick({ started_at: start, finished_at: end }: Run): boolean {
  return start !== null && end !== null && Date.parse(end) - Date.parse(start) < QUICK_MS;
}
