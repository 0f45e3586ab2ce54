import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { headQuery } from "../../thread/queries";
import { ChainCheck, type ChainState } from "./chainCheck";

/** The chain of a thread, verified in the browser, with functions that verify it again. */
export interface Chain {
  readonly threadId: string;
  readonly state: ChainState;
  readonly begin: () => void;
}

export function useChain(threadId: string): Chain {
  const { data: head } = useQuery(headQuery(threadId));
  const check = useMemo(() => new ChainCheck(threadId), [threadId]);
  const state = useSyncExternalStore(check.subscribe, check.state);
  useEffect(
    () => () => {
      check.stop();
    },
    [check],
  );
  useEffect(() => {
    if (head !== undefined) check.grow(head.version);
  }, [check, head]);
  const begin = (): void => {
    check.begin();
  };
  return { threadId, state, begin };
}
