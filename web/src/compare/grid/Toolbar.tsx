import { useNavigate } from "@tanstack/react-router";
import styles from "../compare.module.css";
import { Field } from "../Field";
import type { ComparisonInSight } from "./useComparison";

/** Threads that the service compares in one request, at most. */
const MOST = 10;

interface ToolbarProps {
  readonly threads: readonly string[];
  readonly comparison: ComparisonInSight;
  /** Whether all runs of equal steps are unfolded. */
  readonly isUnfolded: boolean;
  readonly onUnfold: () => void;
}

/** Steps from difference to difference, what is aligned, and one more thread. */
export function Toolbar({ threads, comparison, isUnfolded, onUnfold }: ToolbarProps) {
  const navigate = useNavigate();
  const { step, steps, toggleSteps } = comparison;
  return (
    <div className={styles["toolbar"]}>
      <div role="group" aria-label="Differences" className={styles["group"]}>
        <button type="button" title="Previous difference (p)" onClick={() => void step(-1)}>
          ‹ Previous
        </button>
        <button type="button" title="Next difference (n)" onClick={() => void step(1)}>
          Next ›
        </button>
      </div>
      <button type="button" aria-pressed={isUnfolded} title="Unfold or fold (f)" onClick={onUnfold}>
        Show equal steps
      </button>
      <button
        type="button"
        aria-pressed={steps === "calls"}
        title="Align calls of tools only: where people speak freely, words differ early"
        onClick={toggleSteps}
      >
        Calls only
      </button>
      <span className={styles["space"]} />
      {threads.length < MOST && (
        <Field
          label="Add thread"
          button="Add"
          onGive={(threadId) => {
            void navigate({
              to: "/compare",
              search: (before: object) =>
                ({ ...before, thread: [...threads, threadId], row: undefined }) as object,
            });
          }}
        />
      )}
    </div>
  );
}
