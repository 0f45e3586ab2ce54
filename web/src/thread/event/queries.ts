import { queryOptions } from "@tanstack/react-query";
import { answered, api, fetchWithKey } from "../../api/client";
import { parseExact } from "../../api/exact";
import type { components } from "../../api/schema";
import { inclusionOf } from "../../audit/queries";
import { isFields, listIn, numberIn, recordedIn, textIn } from "./contents";

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
      const found = answered(
        await api.GET("/v1/threads/{thread_id}/chain", {
          params: {
            path: { thread_id: threadId },
            query: { after: String(version - 1), limit: 1 },
          },
          signal,
        }),
      );
      return found.items.find((each) => each.version === version) ?? null;
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

/** A call, approval, worker or model request with its end; null where a value is missing. */
export interface Span {
  readonly kind: string;
  /** The id of the call or worker. */
  readonly id: string | null;
  readonly version: number | null;
  readonly endVersion: number | null;
  readonly elapsedMs: number | null;
  readonly outcome: string | null;
  readonly costUsd: number | null;
  /** The list that the cost was computed by; null where it was reported. */
  readonly prices: string | null;
}

const PAGE = 500;
const MOST_PAGES = 4;

/** The spans that begin or end at a version; not all `wanted` where an end is far away. */
export function spansQuery(threadId: string, version: number, wanted: number) {
  return queryOptions({
    queryKey: ["spans", threadId, version],
    queryFn: async ({ signal }) => {
      const found: Span[] = [];
      let after: string | null = version > 1 ? `${version - 1}.0` : null;
      for (let page = 0; page < MOST_PAGES && found.length < wanted; page += 1) {
        const start: string = after === null ? "" : `&after=${after}`;
        const path = `/v1/threads/${threadId}/views/timeline?limit=${PAGE}${start}`;
        const answer = parseExact(await (await fetchWithKey(path, { signal })).text());
        for (const item of listIn(answer, "items")) {
          if (!isFields(item) || !("endVersion" in item)) continue;
          const span: Span = {
            kind: textIn(item, "kind") ?? "",
            id: textIn(item, "callId") ?? textIn(item, "workerId"),
            version: numberIn(item, "version"),
            endVersion: numberIn(item, "endVersion"),
            elapsedMs: numberIn(item, "elapsedMs"),
            outcome: textIn(item, "outcome"),
            costUsd: numberIn(item, "costUsd"),
            prices: textIn(item, "prices"),
          };
          if (span.version === version || span.endVersion === version) found.push(span);
        }
        after = textIn(answer, "next");
        if (after === null) break;
      }
      return found;
    },
    // an open span may end
    refetchInterval: ({ state }) =>
      state.data?.some((span) => span.endVersion === null) === true ? 3000 : false,
  });
}
