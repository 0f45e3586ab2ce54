import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "../../api/client";
import type { components } from "../../api/schema";
import { lastCopied } from "./lastCopied";

export type Origin = components["schemas"]["Origin"];
export type TreeNode = components["schemas"]["TreeNode"];

/** The tree of forks that a thread stands in. */
export function forksQuery(threadId: string) {
  return queryOptions({
    queryKey: ["forks", threadId],
    staleTime: 0, // forks are made at any time
    queryFn: async ({ signal }) =>
      answered(
        await api.GET("/v1/threads/{thread_id}/forks", {
          params: { path: { thread_id: threadId } },
          signal,
        }),
      ),
  });
}

/** Recorded calls that a replay from a version may make again. */
export function hazardsQuery(threadId: string, from: number) {
  return queryOptions({
    queryKey: ["hazards", threadId, from],
    queryFn: async ({ signal }) =>
      answered(
        await api.GET("/v1/threads/{thread_id}/hazards", {
          params: { path: { thread_id: threadId }, query: { from } },
          signal,
        }),
      ).items,
  });
}

/** The last version of a fork that it began with, as a copy of its origin. */
export function copiedQuery(threadId: string, origin: Origin | null, last: number) {
  return queryOptions({
    queryKey: ["copied", threadId],
    enabled: origin !== null,
    queryFn: async ({ signal }) =>
      lastCopied(last, origin?.version ?? 0, async (after) => {
        const { items } = answered(
          await api.GET("/v1/threads/{thread_id}/messages", {
            params: {
              path: { thread_id: threadId },
              query: { after: String(after), limit: 2, cut: 1, files: "linked" },
            },
            signal,
          }),
        );
        return items.map(({ originVersion }) => originVersion !== undefined);
      }),
  });
}
