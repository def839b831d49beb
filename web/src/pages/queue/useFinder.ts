import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { QueuedRun } from "~/api/types";
import { matching } from "~/logic/matchingRuns";
import { wholeQueueQuery } from "./useQueue";

export interface Finder {
  words: string;
  setWords: (words: string) => void;
  /** The runs that match, by their place; null when nothing is sought. */
  found: Map<number, QueuedRun> | null;
  isLoading: boolean;
}

/** Finds waiting runs by words of their names, in the whole queue. */
export function useFinder(count: number): Finder {
  const [words, setWords] = useState("");
  const whole = useQuery({
    ...wholeQueueQuery(count),
    enabled: words.trim() !== "",
    placeholderData: keepPreviousData,
  });
  const found = useMemo(() => (words.trim() ? matching(whole.data ?? [], words) : null), [whole.data, words]);
  return { words, setWords, found, isLoading: whole.isFetching };
}
