import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../../api/client";
import type { components } from "../../api/schema";

export type WorkerNode = components["schemas"]["WorkerNode"];

const LIVE_MS = 5000;

/** The tree of workers that a thread stands in; read again while one of them is at work. */
export function workersQuery(threadId: string) {
  return queryOptions({
    queryKey: ["workers", threadId],
    staleTime: 0,
    queryFn: async ({ signal }) =>
      dataOf(
        await api.GET("/v1/threads/{thread_id}/workers", {
          params: { path: { thread_id: threadId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) =>
      (state.data?.items.length ?? 0) > 1 && state.data?.items.some(isOpen) === true && LIVE_MS,
  });
}

function isOpen({ status }: WorkerNode): boolean {
  return status === "open";
}

/** What is read of a message. */
interface Spawned {
  readonly threadId?: string;
}

/** The version at which a thread sent off the worker of another; null where it says no such thing. */
export async function spawnedAt(parent: string, threadId: string): Promise<number | null> {
  const { items } = dataOf(
    await api.GET("/v1/threads/{thread_id}/messages", {
      params: {
        path: { thread_id: parent },
        query: { filter: "type:worker_spawned", limit: 1000, cut: 200, files: "linked" },
      },
    }),
  );
  const spawned = items.find(({ message }) => (message as Spawned).threadId === threadId);
  return spawned?.version ?? null;
}
