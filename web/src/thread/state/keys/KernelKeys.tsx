import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { countOf } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { stateQuery } from "../../queries";
import { statePathOf } from "../run/runParts";
import styles from "../state.module.css";
import { pathOfKey, sameJson, stateKeys } from "../stateChanges";
import type { StatePair } from "../statePair";
import { StateKeyRow } from "./StateKeyRow";

interface KernelKeysProps {
  readonly pair: StatePair;
  readonly at: number;
  /** Whether the run keeps a state of its own, below which this one stands. */
  readonly isBelow: boolean;
}

/** The kernel's state; members that are as they were at the beginning are hidden. */
export function KernelKeys({ pair, at, isBelow }: KernelKeysProps) {
  const { threadId } = useCursor();
  const { data: first } = useQuery(stateQuery(threadId, 1, "agent-state?history=false"));
  // one that was shown stays, so that no row comes and goes with each step
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [areAllShown, setAllShown] = useState(false);
  const keys = stateKeys(pair.before, pair.now).filter(({ key }) => key !== "history");
  const fresh = keys.filter(
    ({ key, value, change }) =>
      !seen.has(key) &&
      (change !== null || !sameJson(value ?? null, (first ?? pair.now)[key] ?? null)),
  );
  if (fresh.length > 0) setSeen(new Set([...seen, ...fresh.map(({ key }) => key)]));
  const hidden = keys.filter(({ key }) => !seen.has(key)).length;
  return (
    <section aria-label="Kernel" className={styles["part"]}>
      {isBelow && <h3>Kernel</h3>}
      <ul className={styles["keys"]}>
        {keys
          .filter(({ key }) => areAllShown || seen.has(key))
          .map((entry) => (
            <StateKeyRow
              key={entry.key}
              entry={entry}
              at={at}
              id={entry.key}
              path={statePathOf(pathOfKey(entry.key))}
            />
          ))}
      </ul>
      {hidden > 0 && (
        <button
          type="button"
          className={`quiet ${styles["more"] ?? ""}`}
          aria-expanded={areAllShown}
          onClick={() => {
            setAllShown(!areAllShown);
          }}
        >
          {areAllShown ? "Hide" : "Show"} {countOf(hidden, "key")} as at the beginning
        </button>
      )}
    </section>
  );
}
