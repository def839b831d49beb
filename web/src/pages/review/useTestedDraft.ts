/** A draft whose cases a worker runs before it is published, as the dialogs of corrections make it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { discardDraft, publishDraft } from "~/api/drafts";
import { configurationQuery, filesQuery } from "~/api/queries";
import type { Version } from "~/api/types";
import { showProblem } from "~/components/feedback";
import { havePassed } from "../workbench/CaseResults";
import { useTests } from "../workbench/PublishModal";

interface Plan<Made> {
  configurationId: string;
  note: string;
  /** Start the draft. */
  begin: () => Promise<Version>;
  /** What follows once it is published. */
  follow: () => Promise<Made>;
  finish: (made: Made) => Promise<void>;
}

export type TestedDraft = ReturnType<typeof useTestedDraft>;

/** Whether the configuration has cases; null while that is not known. */
export function useHasCases(configurationId: string): boolean | null {
  const files = useQuery(filesQuery(configurationId, null));
  if (files.error) return false; // the server refuses untested corrections by itself
  return files.data ? files.data.items.some(({ path }) => path.startsWith("tests/")) : null;
}

export function useTestedDraft<Made>(plan: Plan<Made>) {
  const { configurationId, note, begin, follow, finish } = plan;
  const [draft, setDraft] = useState<Version | null>(null);
  const [isUntested, setUntested] = useState(false);
  const isKnown = useQuery(configurationQuery(configurationId)).data !== undefined;
  const cases = useTests(configurationId, draft !== null);
  const waste = useWaste(configurationId);
  const start = useMutation({
    mutationFn: async () => {
      const made = await begin();
      waste.keep(made);
      setDraft(made); // also when its cases cannot be started: they are started again from here
      await cases.start.mutateAsync();
    },
  });
  const publish = useMutation({
    mutationFn: async () => {
      // A second try, after what follows failed, finds no draft.
      await waste.take(() => publishDraft(configurationId, note, !havePassed(cases.tests)));
      return follow();
    },
    onSuccess: finish,
  });
  const atOnce = useAtOnce(plan, waste);
  return {
    draft,
    cases,
    isUntested,
    setUntested,
    mayPublish: isKnown && (havePassed(cases.tests) || isUntested),
    isPending: start.isPending || publish.isPending || atOnce.isPending,
    error: start.error ?? publish.error ?? atOnce.error,
    start: () => start.mutate(),
    publish: () => publish.mutate(),
    /** Start the draft and publish it, where there are no cases. */
    publishAtOnce: () => atOnce.mutate(),
  };
}

/** Starts the draft and publishes it in one go, where there are no cases. */
function useAtOnce<Made>(plan: Plan<Made>, waste: ReturnType<typeof useWaste>) {
  const { configurationId, note, begin, follow, finish } = plan;
  return useMutation({
    mutationFn: async () => {
      if (!waste.has()) waste.keep(await begin());
      await waste.take(() => publishDraft(configurationId, note));
      return follow();
    },
    onSuccess: finish,
  });
}

/** Discards a draft that nobody published when the dialog is gone, however that came and whatever was under way. */
function useWaste(configurationId: string) {
  const state = useRef<{ draft: Version | null; isGone: boolean }>({ draft: null, isGone: false });
  const [waste] = useState(() => {
    const discard = (): void => {
      const { draft, isGone } = state.current;
      if (!draft || !isGone) return;
      state.current.draft = null;
      discardDraft(configurationId, draft.number).catch(showProblem);
    };
    const keep = (draft: Version): void => {
      state.current.draft = draft;
      discard();
    };
    /** Have the draft, if there is one, published; it is only kept where that fails. */
    const take = async (publish: () => Promise<unknown>): Promise<void> => {
      const { draft } = state.current;
      state.current.draft = null;
      if (!draft) return;
      try {
        await publish();
      } catch (error) {
        keep(draft);
        throw error;
      }
    };
    const has = (): boolean => state.current.draft !== null;
    return { keep, take, discard, has };
  });
  useEffect(() => {
    const held = state.current;
    held.isGone = false;
    return () => {
      held.isGone = true;
      waste.discard();
    };
  }, [waste]);
  return waste;
}
