import { keepPreviousData, queryOptions, useQueries, useQueryClient } from "@tanstack/react-query";
import { QUEUE_BLOCK, queueBlockQuery } from "~/api/queries";
import type { Queue, QueuedRun } from "~/api/types";
import { bandOf } from "~/logic/priority";

export interface Waiting {
  /** The rows that have come, by their place. */
  rows: Map<number, QueuedRun>;
  /** Whether the part a row is in has come; a row that is missing from it is another workspace's. */
  isLoaded: (index: number) => boolean;
  version: number;
  /** The places at which another band of priorities begins, as far as is loaded. */
  bandStarts: number[];
  /** Ask for a row that is not on the screen. */
  load: (index: number) => Promise<QueuedRun | undefined>;
  /** Ask for all rows. */
  loadAll: (count: number) => Promise<QueuedRun[]>;
}

/** The rows of the queue between two places, and those of its beginning. */
export function useQueue(first: Queue, from: number, to: number): Waiting {
  const client = useQueryClient();
  const blocks = [...new Set([0, ...range(blockOf(from), blockOf(to))])];
  const found = useQueries({
    queries: blocks.map((block) => ({ ...queueBlockQuery(block), placeholderData: keepPreviousData })),
    combine: (results) => {
      const rows = new Map<number, QueuedRun>();
      for (const { data } of results) for (const item of data?.items ?? []) rows.set(item.position - 1, item);
      const loaded = new Set(blocks.filter((_, place) => results[place]?.isSuccess));
      const bandStarts = [...rows]
        .filter(([index, run]) => beginsBand(run, rows.get(index - 1)))
        .map(([index]) => index);
      return { rows, loaded, bandStarts, version: Math.max(...results.map(({ data }) => data?.version ?? 0)) };
    },
  });
  return {
    rows: found.rows,
    isLoaded: (index) => found.loaded.has(blockOf(index)),
    version: Math.max(found.version, first.version),
    bandStarts: found.bandStarts,
    load: async (index) => {
      const part = await client.fetchQuery(queueBlockQuery(blockOf(index)));
      return part.items.find((item) => item.position - 1 === index);
    },
    loadAll: (count) => client.fetchQuery(wholeQueueQuery(count)),
  };
}

/** The whole queue, part by part; for those who search it or tick all of it. */
export const wholeQueueQuery = (count: number) =>
  queryOptions({
    queryKey: ["queue", "whole", count],
    queryFn: async ({ client }) => {
      const parts = await Promise.all(
        range(0, blockOf(count - 1)).map((block) => client.fetchQuery(queueBlockQuery(block))),
      );
      return parts.flatMap((part) => part.items);
    },
  });

function beginsBand(run: QueuedRun, before: QueuedRun | undefined): boolean {
  if (!before) return run.position === 1;
  return bandOf(run.effective_priority) !== bandOf(before.effective_priority);
}

/** Return the first place of the part of the queue a place is in; parts are asked for whole. */
export function startOfBlock(index: number): number {
  return blockOf(index) * QUEUE_BLOCK;
}

function blockOf(index: number): number {
  return Math.floor(Math.max(0, index) / QUEUE_BLOCK);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first) + 1 }, (_, step) => first + step);
}
