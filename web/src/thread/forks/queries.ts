import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, dataOf, fetchWithKey } from "../../api/client";
import { parseExact, printExact } from "../../api/exact";
import type { components } from "../../api/schema";
import { fieldsIn } from "../event/contents";
import type { Forking } from "./command";
import { forkBody } from "./forkBody";
import { lastCopied } from "./lastCopied";

export type Origin = components["schemas"]["Origin"];
export type TreeNode = components["schemas"]["TreeNode"];

/** The tree of forks that a thread stands in. */
export function forksQuery(threadId: string) {
  return queryOptions({
    queryKey: ["forks", threadId],
    staleTime: 0, // forks are made at any time
    queryFn: async ({ signal }) =>
      dataOf(
        await api.GET("/v1/threads/{thread_id}/forks", {
          params: { path: { thread_id: threadId } },
          signal,
        }),
      ),
  });
}

/** The last version of a fork that it began with, as a copy of its origin. */
export function copiedQuery(threadId: string, origin: Origin | null, last: number) {
  return queryOptions({
    queryKey: ["copied", threadId],
    enabled: origin !== null,
    queryFn: async ({ signal }) =>
      lastCopied(last, origin?.version ?? 0, async (after) => {
        const { items } = dataOf(
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

/** A message as a fork takes it, as JSON: without its id and time, its files whole. */
export function ownTextQuery(threadId: string, messageId: string) {
  return queryOptions({
    queryKey: ["own text", threadId, messageId],
    queryFn: async ({ signal }) => {
      const path = `/v1/threads/${threadId}/messages/${messageId}`;
      const event = parseExact(await (await fetchWithKey(path, { signal })).text());
      const metadata = fieldsIn(event, "metadata");
      const own = Object.entries(fieldsIn(event, "message")).filter(
        ([name]) => name !== "id" && name !== "timestamp",
      );
      const kept = Object.keys(metadata).length === 0 ? {} : { metadata };
      return printExact({ ...Object.fromEntries(own), ...kept }, 2);
    },
  });
}

/** Makes a fork, and goes to it. */
export function useFork(onMade: () => void) {
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (forking: Forking & { readonly message: string }) => {
      const body = forkBody(forking);
      const headers = { "content-type": "application/json" };
      const path = `/v1/threads/${forking.threadId}/fork`;
      const response = await fetchWithKey(path, { method: "POST", body, headers });
      return (await response.json()) as components["schemas"]["Fork"];
    },
    onSuccess: async ({ threadId }, forking) => {
      await client.invalidateQueries(forksQuery(forking.threadId));
      onMade();
      await navigate({ to: "/threads/$threadId", params: { threadId }, search: { at: "end" } });
    },
  });
}
