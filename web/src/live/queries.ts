import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, fetchWithKey } from "../api/client";
import { parseExact } from "../api/exact";
import type { StoredEvent } from "../thread/history/events";

const LIVE_MS = 2000;
/** Open threads that are read, the last changed first, and as many that wait for a person. */
const MOST = 100;
const SHOWN_CHARACTERS = 160;

/** Open threads, again and again, also while another tab is in front. */
export const openQuery = queryOptions({
  queryKey: ["live"],
  queryFn: async ({ signal }) => {
    const read = async (filter: string) => {
      const query = { filter, limit: MOST, sort: "-updatedAt" };
      return dataOf(await api.GET("/v1/summaries", { params: { query }, signal }));
    };
    const [latest, waiting] = await Promise.all([read("open"), read("open pending")]);
    const byId = new Map([...waiting.items, ...latest.items].map((row) => [row.threadId, row]));
    return { items: [...byId.values()], total: latest.total, waiting: waiting.total };
  },
  placeholderData: keepPreviousData,
  refetchInterval: LIVE_MS,
  refetchIntervalInBackground: true,
});

/** The last event of a thread at a version. */
export function lastEventQuery(threadId: string, version: number) {
  return queryOptions({
    queryKey: ["last event", threadId, version],
    queryFn: async ({ signal }) => {
      const query = `after=${version - 1}&limit=1&cut=${SHOWN_CHARACTERS}&files=linked`;
      return (await eventsOf(threadId, query, signal)).at(0) ?? null;
    },
    placeholderData: keepPreviousData,
  });
}

/** All requests for approval of a thread at a version, and their answers. */
export function approvalsQuery(threadId: string, version: number) {
  return queryOptions({
    queryKey: ["approvals", threadId, version],
    queryFn: async ({ signal }) => {
      const query = "filter=type:approval_request+or+type:approval_response&limit=1000";
      return eventsOf(threadId, query, signal);
    },
    placeholderData: keepPreviousData,
  });
}

async function eventsOf(threadId: string, query: string, signal: AbortSignal) {
  const path = `/v1/threads/${encodeURIComponent(threadId)}/messages?${query}`;
  const response = await fetchWithKey(path, { signal });
  return (parseExact(await response.text()) as unknown as { items: readonly StoredEvent[] }).items;
}
