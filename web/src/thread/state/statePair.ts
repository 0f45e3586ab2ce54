import { noop, useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useCursor } from "../cursor";
import { type StateAt, stateQuery, type StateView } from "../queries";

/** A state at a version, and the one just before it. */
export interface StatePair {
  readonly now: StateAt;
  readonly before: StateAt;
}

/** The states at a version: the kernel's, and the run's own. */
export interface States {
  readonly at: number;
  readonly kernel: StatePair;
  readonly run: StatePair;
}

const KERNEL: StateView = "agent-state?history=false";
const RUN: StateView = "run-state?texts=false";

/** Steps whose states are read ahead: a held key steps faster than the service answers. */
const AHEAD = [1, 2, 3];

/** The states at the cursor; those before stay until all are there. Reads ahead. */
export function useStates(): { states: States | null; error: Error | null } {
  const { threadId, at, last } = useCursor();
  const client = useQueryClient();
  const queries = useQueries({
    queries: [
      stateQuery(threadId, at, KERNEL),
      stateQuery(threadId, at - 1, KERNEL),
      stateQuery(threadId, at, RUN),
      stateQuery(threadId, at - 1, RUN),
    ],
  });
  const [kernel, kernelBefore, run, runBefore] = queries.map(({ data }) => data);
  const [states, setStates] = useState<States | null>(null);
  if (kernel && kernelBefore && run && runBefore) {
    const isShown =
      states?.at === at &&
      states.kernel.now === kernel &&
      states.kernel.before === kernelBefore &&
      states.run.now === run &&
      states.run.before === runBefore;
    if (!isShown) {
      setStates({
        at,
        kernel: { now: kernel, before: kernelBefore },
        run: { now: run, before: runBefore },
      });
    }
  }
  useEffect(() => {
    for (const version of [...AHEAD.map((steps) => at + steps), at - 2]) {
      if (version < 0 || version > last) continue;
      for (const view of [KERNEL, RUN]) {
        client.query(stateQuery(threadId, version, view)).catch(noop);
      }
    }
  }, [client, threadId, at, last]);
  return { states, error: queries.find(({ error }) => error !== null)?.error ?? null };
}

/** Returns both states as one: no member of one has the name of another's. */
export function together({ kernel, run }: States): StatePair {
  return {
    now: { ...run.now, ...kernel.now },
    before: { ...run.before, ...kernel.before },
  };
}
