import { Link } from "@tanstack/react-router";
import type { Change } from "../address";
import styles from "./TickedBar.module.css";

/** Threads that stand side by side at most, and that a matrix takes. */
const MOST_BESIDE = 10;
const MOST = 200;

/** The actions on the ticked threads. */
export function TickedBar({ ticked, change }: { ticked: readonly string[]; change: Change }) {
  if (ticked.length === 0) return null;
  const isTooMany = ticked.length > MOST;
  return (
    <div className={styles["bar"]} role="region" aria-label="Ticked threads">
      {ticked.length > 1 && !isTooMany ? (
        <Link
          to="/compare"
          search={{
            thread: [...ticked],
            ...(ticked.length > MOST_BESIDE && { matrix: true as const }),
          }}
          className={styles["compare"]}
        >
          Compare {ticked.length} threads
        </Link>
      ) : (
        <span>
          {isTooMany ? `At most ${MOST} threads can be compared.` : "Tick another to compare."}
        </span>
      )}
      <span className={styles["ids"]}>{ticked.join(", ")}</span>
      <button
        type="button"
        className="quiet"
        onClick={() => {
          change({ ticked: undefined }, { replace: true });
        }}
      >
        Untick all
      </button>
    </div>
  );
}
