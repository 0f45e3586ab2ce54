import { useQuery } from "@tanstack/react-query";
import { answered, api } from "../../api/client";
import { useCursor } from "../cursor";
import { headQuery } from "../queries";

/** A rule that an event broke. */
export interface Anomaly {
  readonly rule: string;
  readonly version: number;
  readonly reason: string;
}

const MOST = 1000;
const NONE: readonly Anomaly[] = [];

/** The first 1,000 anomalies of the thread, by version. */
export function useAnomalies(): (version: number) => readonly Anomaly[] {
  const { threadId } = useCursor();
  const { data: head } = useQuery(headQuery(threadId));
  const known = head?.anomalies ?? 0;
  const { data } = useQuery({
    queryKey: ["anomalies", threadId, known],
    enabled: known > 0,
    queryFn: async ({ signal }) => {
      const path = { thread_id: threadId, view: "anomalies" as const };
      const { items } = answered(
        await api.GET("/v1/threads/{thread_id}/views/{view}", {
          params: { path, query: { limit: MOST } },
          signal,
        }),
      ) as { items: Anomaly[] };
      return Map.groupBy(items, ({ version }) => version);
    },
  });
  return (version) => data?.get(version) ?? NONE;
}
