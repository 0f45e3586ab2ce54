import { noop, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useCursor } from "../cursor";
import { type StateAt, stateQuery } from "../queries";

/** The state at a version, and the one just before it. */
export interface StatePair {
  readonly at: number;
  readonly now: StateAt;
  readonly before: StateAt;
}

/** Steps whose states are read ahead: a held key steps faster than the service answers. */
const AHEAD = [1, 2, 3];

/** The states at the cursor; the pair before stays until both are there. Reads ahead. */
export function useStatePair(): { pair: StatePair | null; error: Error | null } {
  const { threadId, at, last } = useCursor();
  const client = useQueryClient();
  const now = useQuery(stateQuery(threadId, at));
  const before = useQuery(stateQuery(threadId, at - 1));
  const [pair, setPair] = useState<StatePair | null>(null);
  if (now.data !== undefined && before.data !== undefined) {
    if (pair?.now !== now.data || pair.before !== before.data || pair.at !== at) {
      setPair({ at, now: now.data, before: before.data });
    }
  }
  useEffect(() => {
    for (const version of [...AHEAD.map((steps) => at + steps), at - 2]) {
      if (version < 0 || version > last) continue;
      client.query(stateQuery(threadId, version)).catch(noop);
    }
  }, [client, threadId, at, last]);
  return { pair, error: now.error ?? before.error };
}
