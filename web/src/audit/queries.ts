import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, dataOf, fetchWithKey } from "../api/client";
import type { components } from "../api/schema";

export type SignedCheckpoint = components["schemas"]["Checkpoint"];
export type Inclusion = components["schemas"]["Inclusion"];

/** The latest checkpoint; null where there is none. Read again by each screen that shows it. */
export const latestQuery = queryOptions({
  queryKey: ["checkpoints", "latest"],
  queryFn: ({ signal }) => latestCheckpoint(signal),
  staleTime: 0,
});

async function latestCheckpoint(signal: AbortSignal): Promise<SignedCheckpoint | null> {
  // asked first whether there is one: a browser logs each 404 as an error
  const params = { query: { limit: 1 } };
  const { items } = dataOf(await api.GET("/v1/checkpoints", { params, signal }));
  return items.length === 0 ? null : dataOf(await api.GET("/v1/checkpoints/latest", { signal }));
}

/** The proof that a message is in the latest checkpoint, or why there is none. */
export async function inclusionOf(
  threadId: string,
  message: { readonly id: string; readonly position: number },
  signal: AbortSignal,
): Promise<Inclusion | string> {
  // asked in this order, each request succeeds: browsers log every refused one as an error
  const latest = await latestCheckpoint(signal);
  if (latest === null) return "There is no checkpoint yet.";
  if (latest.position < message.position) {
    return `The latest checkpoint ends before it, at position ${latest.position}.`;
  }
  const path = { thread_id: threadId, message_id: message.id };
  return dataOf(
    await api.GET("/v1/threads/{thread_id}/messages/{message_id}/proof", {
      params: { path },
      signal,
    }),
  );
}

/** All checkpoints, the smallest first, page by page. */
export const checkpointsQuery = infiniteQueryOptions({
  queryKey: ["checkpoints", "all"],
  queryFn: async ({ pageParam, signal }) => {
    const query = pageParam === null ? {} : { after: pageParam };
    return dataOf(await api.GET("/v1/checkpoints", { params: { query }, signal }));
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next,
  staleTime: 0,
});

/** A thread with all its proofs, as `agentlog verify` reads it. */
export async function evidenceOf(threadId: string): Promise<Blob> {
  return (await fetchWithKey(`/v1/threads/${threadId}/evidence`)).blob();
}
