import { useState } from "react";
import { Failure } from "../../../parts/Failure";
import { count, counted } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { askedOf } from "../run/runParts";
import styles from "../state.module.css";
import { ChangeList, ReadOn } from "./ChangeList";
import { nextChange, useValueChanges } from "./useValueChanges";

/** The versions that change what an expression selects, side by side; pressing one goes there. */
export function ChangeStrip({ expression }: { expression: string }) {
  const { threadId, at, last, go } = useCursor();
  const asked = askedOf(expression);
  const found = useValueChanges(threadId, asked, last);
  const [said, say] = useState<{ at: number; text: string } | null>(null);
  if (found.error !== null) return <Failure error={found.error} />;
  const goOn = async (): Promise<void> => {
    say({ at, text: "Looking…" });
    try {
      const next = await nextChange(threadId, asked, at);
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
          {counted(found.changes.length, "change")} up to version {count(found.examined)}
          {said?.at === at && ` · ${said.text}`}
        </span>
        <ReadOn found={found} />
        <button type="button" className="quiet" onClick={() => void goOn()}>
          Next change
        </button>
      </div>
      <ChangeList changes={found.changes} isRow />
    </div>
  );
}
