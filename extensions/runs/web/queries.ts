import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "#page/api/client";
import { ifThere } from "#page/api/problem";

/** Recorded calls that a replay from a version may make again; null without that extension. */
export function hazardsQuery(threadId: string, from: number) {
  return queryOptions({
    queryKey: ["hazards", threadId, from],
    queryFn: async ({ signal }) => {
      const answer = await ifThere(
        api.GET("/v1/threads/{thread_id}/hazards", {
          params: { path: { thread_id: threadId }, query: { from } },
          signal,
        }),
      );
      return answer === null ? null : dataOf(answer).items;
    },
  });
}
