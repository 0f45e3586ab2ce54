import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { Failure } from "../../../parts/Failure";
import { count, counted } from "../../../parts/format";
import { useCursor } from "../../cursor";
import styles from "../state.module.css";
import { nextChange, useValueChanges } from "./useValueChanges";
import { inForce, valuesInShort } from "./valueChanges";

const CHIP = 92;

/** The versions that change what an expression selects, side by side; pressing one goes there. */
export function ChangeStrip({ expression }: { expression: string }) {
  const { threadId, at, last, go } = useCursor();
  const found = useValueChanges(threadId, expression, last);
  const [said, say] = useState<{ at: number; text: string } | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const chips = useVirtualizer({
    horizontal: true,
    count: found.changes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CHIP,
    overscan: 4,
  });
  const current = inForce(found.changes, at);
  useEffect(() => {
    if (current >= 0) chips.scrollToIndex(current);
  }, [chips, current]);
  if (found.error !== null) return <Failure error={found.error} />;
  const goOn = async (): Promise<void> => {
    say({ at, text: "Looking…" });
    try {
      const next = await nextChange(threadId, expression, at);
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
        {!found.isWhole && found.examined > 0 && (
          <button type="button" className="quiet" disabled={found.isFetching} onClick={found.more}>
            Read on
          </button>
        )}
        <button type="button" className="quiet" onClick={() => void goOn()}>
          Next change
        </button>
      </div>
      <div ref={scroller} className={styles["chips"]}>
        <ol className={styles["all"]} style={{ width: chips.getTotalSize() }}>
          {chips.getVirtualItems().map((chip) => {
            const each = found.changes[chip.index];
            if (each === undefined) return null;
            return (
              <li
                key={chip.key}
                className={styles["chip"]}
                style={{ transform: `translateX(${chip.start}px)`, width: CHIP - 4 }}
              >
                <button
                  type="button"
                  aria-current={chip.index === current ? "step" : undefined}
                  title={valuesInShort(each).slice(0, 500)}
                  onClick={() => {
                    go(each.version);
                  }}
                >
                  <b>{count(each.version)}</b>
                  <code>{valuesInShort(each)}</code>
                </button>
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}
