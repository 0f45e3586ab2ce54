import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { StateTab } from "../../address";
import { stateQuery } from "../../queries";
import { sameJson, stateKeys } from "../stateChanges";

/** Members of the kernel's state that any conversation moves: they say nothing of a run. */
const OF_ANY = new Set(["step_count", "pending_llm"]);

/** The tab that a thread opens on: its state, or what the model is sent where it keeps none. */
export function useOpeningTab(threadId: string): StateTab | null {
  const client = useQueryClient();
  const { data, isError } = useQuery(
    queryOptions({
      queryKey: ["opening tab", threadId],
      staleTime: Infinity,
      queryFn: async (): Promise<StateTab> => {
        const [run, first, last] = await Promise.all([
          client.query(stateQuery(threadId, null, "run-state?texts=false")),
          client.query(stateQuery(threadId, 1, "agent-state?history=false")),
          client.query(stateQuery(threadId, null, "agent-state?history=false")),
        ]);
        const changed = stateKeys(first, last).filter(
          ({ key, value, before }) => !OF_ANY.has(key) && !sameJson(value ?? null, before ?? null),
        );
        return Object.keys(run).length > 0 || changed.length > 0 ? "state" : "model";
      },
    }),
  );
  return data ?? (isError ? "state" : null);
}
