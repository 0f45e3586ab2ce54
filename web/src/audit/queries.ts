import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answered, api, fetchWithKey } from "../api/client";
import type { components } from "../api/schema";

export type SignedCheckpoint = components["schemas"]["Checkpoint"];

/** The latest checkpoint; null where there is none. Asked anew by each screen that shows it. */
export const latestQuery = queryOptions({
  queryKey: ["checkpoints", "latest"],
  queryFn: async ({ signal }) => {
    // asked first whether there is one: a browser logs each 404 as an error
    const params = { query: { limit: 1 } };
    const { items } = answered(await api.GET("/v1/checkpoints", { params, signal }));
    return items.length === 0
      ? null
      : answered(await api.GET("/v1/checkpoints/latest", { signal }));
  },
  staleTime: 0,
});

/** All checkpoints, the smallest first, page by page. */
export const checkpointsQuery = infiniteQueryOptions({
  queryKey: ["checkpoints", "all"],
  queryFn: async ({ pageParam, signal }) => {
    const query = pageParam === null ? {} : { after: pageParam };
    return answered(await api.GET("/v1/checkpoints", { params: { query }, signal }));
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next,
  staleTime: 0,
});

/** A thread with all its proofs, as `agentlog verify` reads it. */
export async function evidenceOf(threadId: string): Promise<Blob> {
  return (await fetchWithKey(`/v1/threads/${threadId}/evidence`)).blob();
}
