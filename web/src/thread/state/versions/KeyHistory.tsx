import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { count } from "../../../parts/format";
import { Failure } from "../../../parts/Failure";
import { useCursor } from "../../cursor";
import styles from "../state.module.css";
import { pathOfKey } from "../stateChanges";
import { useValueChanges } from "./useValueChanges";
import { inForce, valuesInShort } from "./valueChanges";

const ROW = 26;

/** The versions that changed a key of the state; pressing one moves the cursor there. */
export function KeyHistory({ name }: { name: string }) {
  const { threadId, at, last, go } = useCursor();
  const found = useValueChanges(threadId, pathOfKey(name), last);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: found.changes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  const current = inForce(found.changes, at);
  if (found.error !== null) return <Failure error={found.error} />;
  return (
    <div className={styles["under"]} role="group" aria-label={`History of ${name}`}>
      <p className={styles["note"]}>
        {found.changes.length === 0
          ? `Never changed up to version ${count(found.examined)}`
          : `${count(found.changes.length)} changes up to version ${count(found.examined)}`}
        {!found.isWhole && found.examined > 0 && (
          <button type="button" className="quiet" disabled={found.isFetching} onClick={found.more}>
            Read on
          </button>
        )}
        {found.isFetching && " reading…"}
      </p>
      {found.changes.length > 0 && (
        <div
          ref={scroller}
          className={styles["history"]}
          style={{ height: Math.min(found.changes.length, 9) * ROW }}
        >
          <ol className={styles["all"]} style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((row) => {
              const each = found.changes[row.index];
              if (each === undefined) return null;
              return (
                <li
                  key={row.key}
                  className={styles["placed"]}
                  style={{ transform: `translateY(${row.start}px)`, height: ROW }}
                >
                  <button
                    type="button"
                    className={styles["version"]}
                    aria-current={row.index === current ? "step" : undefined}
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
      )}
    </div>
  );
}
