import { useEffect, useSyncExternalStore } from "react";
import { TokenCounter } from "./tokenCounter";

const counter = new TokenCounter(
  () => new Worker(new URL("./tokens.worker.ts", import.meta.url), { type: "module" }),
);

/** Milliseconds that the cursor has to rest before counting begins. */
const REST_MS = 200;

/** What is known of the tokens of some texts. */
export interface Tokens {
  /** The sum of some of them; null while it is not counted. */
  readonly of: (texts: readonly string[]) => number | null;
  readonly hasFailed: boolean;
}

/** Counts the tokens of texts in a worker; null counts nothing. New texts replace old ones. */
export function useTokens(texts: readonly string[] | null): Tokens {
  useSyncExternalStore(counter.subscribe, counter.revision);
  useEffect(() => {
    if (texts === null) return;
    const timer = setTimeout(() => {
      counter.count(texts);
    }, REST_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [texts]);
  useEffect(
    () => () => {
      counter.stop();
    },
    [],
  );
  return { of: (some) => counter.sum(some), hasFailed: counter.hasFailed };
}
