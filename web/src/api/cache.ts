import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Problem } from "./client";
import { pollInterval } from "./live";

/** Refetch the session when an answer says that there is none: a session ends while a page is open. */
function askWhoIsThere(error: unknown, asked?: readonly unknown[]): void {
  const isRefused = error instanceof Problem && error.status === 401 && asked?.[0] !== "session";
  if (isRefused && queryClient.getQueryData(["session"]) !== undefined)
    void queryClient.invalidateQueries({ queryKey: ["session"] });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => askWhoIsThere(error, query.queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => askWhoIsThere(error) }),
  defaultOptions: {
    mutations: { networkMode: "always" },
    queries: {
      // The server may be on this machine: a browser that is offline can reach it all the same.
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: 5000,
      refetchInterval: pollInterval,
      // A refusal stays a refusal; only silence and overload are worth asking again.
      retry: (failures, error) => failures < 2 && error instanceof Problem && error.isAway,
    },
  },
});
