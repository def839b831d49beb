import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "~/api/client";
import { addressOf } from "~/api/client";
import { runQuery } from "~/api/queries";
import type { Run, RunEvent } from "~/api/types";

interface EventPage {
  items: RunEvent[];
  is_complete?: boolean;
}

/** The events of a run: what there is, then what comes, until it has ended. */
export function useRunEvents(run: Run): RunEvent[] {
  const [events, setEvents] = useState<RunEvent[]>([]);
  const client = useQueryClient();
  const isOver = run.finished_at !== null;
  const id = run.id;
  useEffect(() => {
    let isGone = false;
    let source: EventSource | null = null;
    let last = 0;
    const take = (found: RunEvent[]): void => {
      const fresh = found.filter((event) => event.seq > last);
      if (fresh.length === 0) return;
      last = Math.max(last, ...fresh.map((event) => event.seq));
      setEvents((before) => merged(before, fresh));
    };
    const follow = (): void => {
      source = new EventSource(addressOf(`/runs/${id}/events/stream`));
      const listen = (message: MessageEvent<string>): void => {
        const event = JSON.parse(message.data) as RunEvent;
        take([event]);
        if (event.type === "run.finishing") void client.invalidateQueries({ queryKey: runQuery(id).queryKey });
      };
      source.onmessage = listen;
      source.addEventListener("event", listen as EventListener);
      // The end of the stream looks like a fault to the browser: it must not be opened again for ever.
      source.addEventListener("end", () => source?.close());
    };
    const load = async (): Promise<void> => {
      let page: EventPage;
      do {
        page = await api.get<EventPage>(`/runs/${id}/events`, { after: last, limit: 1000 });
        if (isGone) return;
        const count = page.items.length;
        take(page.items);
        if (count < 1000) break;
      } while (page.items.length > 0);
      if (!isOver) follow();
    };
    load().catch(() => undefined); // the page shows the run without its events
    return () => {
      isGone = true;
      source?.close();
    };
  }, [client, id, isOver]);
  return events;
}

function merged(before: RunEvent[], fresh: RunEvent[]): RunEvent[] {
  const known = new Set(before.map((event) => event.seq));
  const added = fresh.filter((event) => !known.has(event.seq));
  return added.length === 0 ? before : [...before, ...added].sort((one, other) => one.seq - other.seq);
}
