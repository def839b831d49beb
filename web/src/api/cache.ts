import { QueryClient } from "@tanstack/react-query";
import { Problem } from "./client";
import { pollInterval } from "./live";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      refetchInterval: pollInterval,
      // A refusal stays a refusal; only silence and overload are worth asking again.
      retry: (failures, error) =>
        failures < 2 && error instanceof Problem && (error.status === 0 || error.status === 503),
    },
  },
});
