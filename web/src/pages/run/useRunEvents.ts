import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "~/api/client";
import { runQuery } from "~/api/queries";
import { follow } from "~/api/sse";
import type { Run, RunEvent } from "~/api/types";

interface EventPage {
  items: RunEvent[];
  is_complete: boolean;
}

const PAGE = 5000;

/** The events of a run: what there is, then what comes, until it has ended. */
export function useRunEvents({ id }: Pick<Run, "id">): RunEvent[] {
  const [events, setEvents] = useState<RunEvent[]>([]);
  const client = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    let last = 0;
    let waiting: RunEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      const fresh = waiting;
      waiting = [];
      setEvents((before) => [...before, ...fresh]);
    };
    // A quick run tells hundreds of events a second: they are shown some at a time.
    const take = (event: RunEvent): void => {
      if (event.seq <= last) return;
      last = event.seq;
      waiting.push(event);
      timer ??= setTimeout(show, 80);
    };
    const load = async (): Promise<void> => {
      for (;;) {
        const page = await api.get<EventPage>(`/runs/${id}/events`, { after: last, limit: PAGE }, abort.signal);
        page.items.forEach(take);
        if (page.is_complete) return;
        if (page.items.length < PAGE) break;
      }
      await follow(
        `/runs/${id}/events/stream`,
        last,
        (message) => take(JSON.parse(message.data) as RunEvent),
        abort.signal,
      );
      if (!abort.signal.aborted) await client.invalidateQueries({ queryKey: runQuery(id).queryKey });
    };
    load().catch(() => undefined); // the page shows the run without its events
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client, id]);
  return events;
}
