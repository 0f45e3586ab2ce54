import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { count } from "../../../parts/format";
import { useCursor } from "../../cursor";
import styles from "../state.module.css";
import type { useValueChanges } from "./useValueChanges";
import { inForce, type ValueChange, valuesInShort } from "./valueChanges";

const CHIP_WIDTH = 92;
const LINE_HEIGHT = 26;
const MOST_LINES = 9;

interface ChangeListProps {
  readonly changes: readonly ValueChange[];
  /** Side by side; else one below the other. */
  readonly isRow?: boolean;
}

/** The versions that changed a value; pressing one goes there. */
export function ChangeList({ changes, isRow = false }: ChangeListProps) {
  const { at, go } = useCursor();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    horizontal: isRow,
    count: changes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isRow ? CHIP_WIDTH : LINE_HEIGHT),
    overscan: 8,
  });
  const current = inForce(changes, at);
  useEffect(() => {
    if (current >= 0) list.scrollToIndex(current);
  }, [list, current]);
  const total = list.getTotalSize();
  return (
    <div
      ref={scroller}
      className={isRow ? styles["chips"] : styles["history"]}
      style={isRow ? {} : { height: Math.min(changes.length, MOST_LINES) * LINE_HEIGHT }}
    >
      <ol className={styles["all"]} style={isRow ? { width: total } : { height: total }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const change = changes[index];
          if (change === undefined) return null;
          return (
            <li
              key={key}
              className={isRow ? styles["chip"] : styles["placed"]}
              style={
                isRow
                  ? { transform: `translateX(${start}px)`, width: CHIP_WIDTH - 4 }
                  : { transform: `translateY(${start}px)`, height: LINE_HEIGHT }
              }
            >
              <button
                type="button"
                className={styles["version"]}
                aria-current={index === current ? "step" : undefined}
                title={valuesInShort(change).slice(0, 500)}
                onClick={() => {
                  go(change.version);
                }}
              >
                <b>{count(change.version)}</b>
                <code>{valuesInShort(change)}</code>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** Where the changes are not read up to the end: a button that reads the next page. */
export function ReadOn({ history }: { history: ReturnType<typeof useValueChanges> }) {
  if (history.isWhole || history.examined === 0) return null;
  return (
    <button type="button" className="quiet" disabled={history.isFetching} onClick={history.more}>
      Read on
    </button>
  );
}
