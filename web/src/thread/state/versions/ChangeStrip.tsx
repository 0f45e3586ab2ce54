import { useState } from "react";
import { Failure } from "../../../parts/Failure";
import { count, countOf } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { statePathOf } from "../run/runParts";
import styles from "../state.module.css";
import { ChangeList, ReadOn } from "./ChangeList";
import { nextChange, useValueChanges } from "./useValueChanges";

/** The versions that change what an expression selects, side by side; pressing one goes there. */
export function ChangeStrip({ expression }: { expression: string }) {
  const { threadId, at, last, go } = useCursor();
  const path = statePathOf(expression);
  const history = useValueChanges(threadId, path, last);
  const [said, say] = useState<{ at: number; text: string } | null>(null);
  if (history.error !== null) return <Failure error={history.error} />;
  const goOn = async (): Promise<void> => {
    say({ at, text: "Looking…" });
    try {
      const next = await nextChange(threadId, path, at);
      say(next === null ? { at, text: "No later change" } : null);
      if (next !== null) go(next);
    } catch (error) {
      say({ at, text: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <div className={styles["strip"]}>
      <div className={styles["tools"]}>
        <span className={styles["note"]} aria-live="polite">
          {countOf(history.changes.length, "change")} up to version {count(history.examined)}
          {said?.at === at && ` · ${said.text}`}
        </span>
        <ReadOn history={history} />
        <button type="button" className="quiet" onClick={() => void goOn()}>
          Next change
        </button>
      </div>
      <ChangeList changes={history.changes} isRow />
    </div>
  );
}
