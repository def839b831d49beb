import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { runQuery } from "~/api/queries";
import type { Run, RunEvent } from "~/api/types";
import { RunFeed } from "./runFeed";

/** The events of a run: what there is, then what comes, until it has ended. */
export function useRunEvents({ id }: Pick<Run, "id">): RunEvent[] {
  const [events, setEvents] = useState<RunEvent[]>([]);
  const client = useQueryClient();
  useEffect(() => {
    const feed = new RunFeed(
      id,
      (fresh) => setEvents((before) => [...before, ...fresh]),
      async () => {
        const { queryKey } = runQuery(id);
        const status = client.getQueryData(queryKey)?.status;
        if (status === "queued" || status === "running") await client.invalidateQueries({ queryKey });
      },
    );
    void feed.start();
    return () => feed.stop();
  }, [client, id]);
  return events;
}
