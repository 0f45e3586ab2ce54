import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, fetchWithKey } from "../api/client";
import { type Json, parseExact } from "../api/exact";
import { ifThere } from "../api/problem";

/** The thread's head. `useFollowing` replaces the cached value when the stream brings events. */
export function headQuery(threadId: string) {
  return queryOptions({
    queryKey: ["thread", threadId],
    queryFn: async ({ signal }) =>
      dataOf(
        await api.GET("/v1/threads/{thread_id}", {
          params: { path: { thread_id: threadId } },
          signal,
        }),
      ),
  });
}

export type StateAt = { readonly [key: string]: Json };

/** A view that is a state, with its options: the kernel's, or the run's own. */
export type StateView =
  "agent-state?history=false" | "run-state?texts=false" | "run-state?texts=true";

/** Views that the service said it does not have: it is not asked again. */
const ABSENT = new Set<string>();

/** A state just after a version; without one, at present. Empty if the service has no such view. */
export function stateQuery(threadId: string, version: number | null, view: StateView) {
  return queryOptions({
    queryKey: ["state", threadId, version, view],
    queryFn: async ({ signal }) => {
      const at = version === null ? "" : `&at=${version}`;
      const path = `/v1/threads/${threadId}/views/${view}&bare=true${at}`;
      const response = ABSENT.has(view) ? null : await ifThere(fetchWithKey(path, { signal }));
      if (response === null) {
        ABSENT.add(view);
        return {};
      }
      return parseExact(await response.text()) as StateAt;
    },
  });
}

/** What a model is asked with beside its messages, as on record at a version. */
export function requestQuery(threadId: string, version: number) {
  return queryOptions({
    queryKey: ["request", threadId, version],
    queryFn: async ({ signal }) => {
      const path = `/v1/threads/${threadId}/views/request?bare=true&at=${version}`;
      return parseExact(await (await fetchWithKey(path, { signal })).text()) as StateAt;
    },
  });
}

/** One event whole, as the log has it; files by their address. */
export function eventQuery(threadId: string, messageId: string) {
  return queryOptions({
    queryKey: ["event", threadId, messageId],
    queryFn: async ({ signal }) => {
      const path = `/v1/threads/${threadId}/messages/${messageId}?files=linked`;
      const response = await fetchWithKey(path, { signal });
      return parseExact(await response.text()) as StateAt;
    },
  });
}
