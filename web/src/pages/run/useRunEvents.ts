import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "~/api/client";
import { followRun } from "~/api/live";
import { runQuery } from "~/api/queries";
import type { Run, RunEvent } from "~/api/types";

interface EventPage {
  items: RunEvent[];
  is_complete: boolean;
}

const PAGE = 5000;
const SHOW_MS = 80;

/** The events of a run: what there is, then what comes, until it has ended. */
export function useRunEvents({ id }: Pick<Run, "id">): RunEvent[] {
  const [events, setEvents] = useState<RunEvent[]>([]);
  const client = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    let last = 0;
    let waiting: RunEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reading: Promise<void> | null = null;
    let isComplete = false;
    let unfollow = (): void => undefined;
    const show = (): void => {
      timer = undefined;
      const fresh = waiting;
      waiting = [];
      setEvents((before) => [...before, ...fresh]);
    };
    // A quick run has hundreds of events a second: they are shown some at a time.
    const take = (event: RunEvent): void => {
      if (event.seq <= last) return;
      last = event.seq;
      waiting.push(event);
      timer ??= setTimeout(show, SHOW_MS);
    };
    const load = async (): Promise<void> => {
      for (let isLast = false; !isLast && !isComplete;) {
        const page = await api.get<EventPage>(`/runs/${id}/events`, { after: last, limit: PAGE }, abort.signal);
        page.items.forEach(take);
        isComplete = page.is_complete;
        isLast = page.items.length < PAGE;
      }
    };
    const readOn = (): void => {
      // Without an answer the page shows the run without its events, and asks again when the stream is back.
      reading ??= load()
        .then(() => (isComplete ? end() : undefined))
        .catch(() => undefined)
        .finally(() => (reading = null));
    };
    const end = async (): Promise<void> => {
      unfollow();
      await client.invalidateQueries({ queryKey: runQuery(id).queryKey });
    };
    const start = async (): Promise<void> => {
      await load().catch(() => undefined);
      if (abort.signal.aborted || isComplete) return;
      unfollow = followRun(id, { last: () => last, take, readOn });
    };
    void start();
    return () => {
      abort.abort();
      unfollow();
      clearTimeout(timer);
    };
  }, [client, id]);
  return events;
}
