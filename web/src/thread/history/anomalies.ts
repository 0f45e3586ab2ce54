import { useQuery } from "@tanstack/react-query";
import { api, dataOf } from "../../api/client";
import { useCursor } from "../cursor";
import { headQuery } from "../queries";

/** A rule that an event broke. */
export interface Anomaly {
  readonly rule: string;
  readonly version: number;
  readonly reason: string;
  /** A note costs the reader of a view nothing. */
  readonly severity: "note" | "warning";
}

const WORDS: Partial<Record<string, string>> = {
  duplicate_call: "call id reused",
  duplicate_worker: "worker id reused",
};

export function wordsOf({ rule }: Anomaly): string {
  return WORDS[rule] ?? rule.replaceAll("_", " ");
}

/** The colour of its badge; a note is grey. */
export function toneOf({ severity }: Anomaly): "warn" | "" {
  return severity === "note" ? "" : "warn";
}

const MOST = 1000;

/** The first 1,000 anomalies of the thread, by version; null while they are read. */
export function useAnomalies(): ReadonlyMap<number, readonly Anomaly[]> | null {
  const { threadId } = useCursor();
  const { data: head } = useQuery(headQuery(threadId));
  const known = head?.anomalies ?? 0;
  const { data } = useQuery({
    queryKey: ["anomalies", threadId, known],
    enabled: known > 0,
    queryFn: async ({ signal }) => {
      const path = { thread_id: threadId, view: "anomalies" as const };
      const { items } = dataOf(
        await api.GET("/v1/threads/{thread_id}/views/{view}", {
          params: { path, query: { limit: MOST } },
          signal,
        }),
      ) as { items: Anomaly[] };
      return Map.groupBy(items, ({ version }) => version);
    },
  });
  return data ?? null;
}
