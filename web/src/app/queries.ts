import { QueryClient } from "@tanstack/react-query";
import { onKeyChange, onKeyRefused } from "../api/key";
import { Problem } from "../api/problem";
import { accessQuery } from "./access";

const MOST_TRIES = 3;

/** Whether another try may help: the service is unreachable, fails or is overloaded. */
function mayHelp(failures: number, error: Error): boolean {
  const refused = error instanceof Problem && error.status < 500 && error.status !== 429;
  return !refused && failures < MOST_TRIES;
}

/** The cache of all answers. What is asked for at a version never changes. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: mayHelp,
      staleTime: Infinity,
      gcTime: 60_000,
      refetchOnWindowFocus: false,
      networkMode: "always", // a machine without a network has the service of its own
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

const ACCESS = accessQuery.queryKey;

onKeyChange(() => {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ACCESS[0] });
  void queries.resetQueries({ queryKey: ACCESS }); // the screens close until it is answered
});

onKeyRefused(() => {
  const known = queries.getQueryState(ACCESS);
  if (known?.status === "success" && known.fetchStatus === "idle") {
    void queries.invalidateQueries({ queryKey: ACCESS });
  }
});
