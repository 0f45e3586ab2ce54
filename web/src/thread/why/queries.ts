import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../../api/client";
import type { components } from "../../api/schema";

export type Why = components["schemas"]["Why"];
export type RunCall = components["schemas"]["RunCall"];

/** Why the run went as it went, as far as it has come. */
export function whyQuery(threadId: string) {
  return queryOptions({
    queryKey: ["why", threadId],
    queryFn: async ({ signal }) =>
      dataOf(
        await api.GET("/v1/threads/{thread_id}/why", {
          params: { path: { thread_id: threadId } },
          signal,
        }),
      ),
  });
}
