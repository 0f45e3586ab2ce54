import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, fetchWithKey } from "../../api/client";
import { parseExact } from "../../api/exact";
import type { components } from "../../api/schema";
import { inclusionOf } from "../../audit/queries";
import { listIn, numberIn, recordedIn } from "./contents";

/** Characters of each text that are read at first. */
const BEGINNING = 10_000;

/** The event at a version, of long texts the beginning; null where the log has none. */
export function beginningQuery(threadId: string, version: number) {
  return queryOptions({
    queryKey: ["event", threadId, version],
    queryFn: async ({ signal }) => {
      const path = `/v1/threads/${threadId}/messages`;
      const query = `?after=${version - 1}&limit=1&cut=${BEGINNING}&files=linked`;
      const response = await fetchWithKey(path + query, { signal });
      const [first] = listIn(parseExact(await response.text()), "items");
      if (first === undefined || numberIn(first, "version") !== version) return null;
      return recordedIn(first);
    },
  });
}

export type ChainedEvent = components["schemas"]["ChainedEvent"];

/** The event at a version as it was chained; null where the log has none. */
export function chainQuery(threadId: string, version: number) {
  return queryOptions({
    queryKey: ["chained", threadId, version],
    queryFn: async ({ signal }) => {
      const page = dataOf(
        await api.GET("/v1/threads/{thread_id}/chain", {
          params: {
            path: { thread_id: threadId },
            query: { after: String(version - 1), limit: 1 },
          },
          signal,
        }),
      );
      return page.items.find((event) => event.version === version) ?? null;
    },
  });
}

/** The proof that an event is in the latest checkpoint, or why there is none. */
export function proofQuery(threadId: string, messageId: string, position: number) {
  return queryOptions({
    queryKey: ["proof", threadId, messageId],
    queryFn: ({ signal }) => inclusionOf(threadId, { id: messageId, position }, signal),
    staleTime: 0, // a checkpoint may have been made
  });
}
