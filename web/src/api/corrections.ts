/** Corrections: tried without consequence, kept for one document, or kept from now on. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { isOfOneDocument } from "~/logic/corrections";
import { cancelRun, newKey } from "./actions";
import type { Artifact } from "./artifact";
import { api } from "./client";
import type { Correction, Run, Version } from "./types";

export interface Trial {
  run: Run;
  /** Null when the run failed. */
  artifact: Artifact | null;
}

/** What the result of a run would be with corrections. It is no result of the document. */
export const trialQuery = (runId: string, corrections: readonly Correction[]) =>
  queryOptions({
    queryKey: ["trials", runId, corrections],
    queryFn: async ({ signal }): Promise<Trial> => {
      const order = { corrections, is_trial: true, priority: "high" };
      const asked = await api.post<Run>(`/runs/${runId}/run-again`, order, { "Idempotency-Key": newKey() });
      const run = await finished(asked, signal).catch((error: unknown) => {
        if (signal.aborted) setTimeout(() => void abandon(asked.id).catch(() => undefined), ABANDONED_MS);
        throw error;
      });
      if (run.status !== "succeeded") return { run, artifact: null };
      return { run, artifact: await api.get<Artifact>(`/runs/${run.id}/artifact`, {}, signal) };
    },
    staleTime: Infinity,
    refetchInterval: false,
    retry: false,
    placeholderData: keepPreviousData,
  });

const FIRST_WAIT_MS = 60;
const LONGEST_WAIT_MS = 2000;

const ABANDONED_MS = 2000;

/** Cancel a trial whose result is no longer needed; most have already ended. */
async function abandon(runId: string): Promise<void> {
  const { finished_at: end } = await api.get<Run>(`/runs/${runId}`);
  if (end === null) await cancelRun(runId);
}

/** Ask until the run has ended: soon at first, then less and less often. */
async function finished(run: Run, signal: AbortSignal): Promise<Run> {
  for (let wait = FIRST_WAIT_MS; run.finished_at === null; wait = Math.min(wait * 1.5, LONGEST_WAIT_MS)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    signal.throwIfAborted();
    run = await api.get<Run>(`/runs/${run.id}`, {}, signal);
  }
  return run;
}

/** Run the document again with corrections for it alone. */
export const correctDocument = (key: string, run: Run, corrections: readonly Correction[]) =>
  api.post<Run>(`/runs/${run.id}/run-again`, { corrections }, { "Idempotency-Key": key });

export interface FromNowOn {
  run: Run;
  corrections: readonly Correction[];
  /** Ids of corrections of the configuration to take back. */
  undone: readonly string[];
  note: string;
  /** Whether an operator proposed these corrections with the run, which are accepted with this. */
  accepts?: boolean;
}

/** Say what becomes of the corrections that an operator proposed with a run. */
export const decideProposal = (runId: string, decision: "accepted" | "declined", note: string) =>
  api.post<Run>(`/runs/${runId}/proposal`, { decision, note: note || null });

/** Publish a version with corrections, and run the document with it. */
export function correctFromNowOn(key: string, { run, corrections, undone, note, accepts }: FromNowOn): Promise<Run> {
  const order = {
    input_document_id: run.input_document_id,
    earlier_run_id: run.id,
    accepts_proposal_of: accepts ? run.id : null,
    corrections: corrections.filter((one) => !isOfOneDocument(one)),
    only_this_document: corrections.filter(isOfOneDocument),
    undone,
    note: note || null,
  };
  return api.post<Run>(`/configurations/${run.configuration_id}/corrections`, order, { "Idempotency-Key": key });
}

/** Start a draft with corrections, so that its cases can be run before it is published. */
export const draftCorrections = ({ run, corrections, undone, note }: FromNowOn) =>
  api.post<Version>(`/configurations/${run.configuration_id}/corrections/draft`, {
    input_document_id: run.input_document_id,
    corrections: corrections.filter((one) => !isOfOneDocument(one)),
    undone,
    note: note || null,
  });

/** Start a draft without some corrections of the configuration. */
export const draftWithout = (configurationId: string, undone: readonly string[], note: string) =>
  api.post<Version>(`/configurations/${configurationId}/corrections/draft`, { undone, note: note || null });
