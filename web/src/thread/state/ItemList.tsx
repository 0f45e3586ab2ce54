import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import styles from "./state.module.css";

interface ItemListProps {
  readonly label: string;
  readonly count: number;
  /** For a list that starts scrolled to its end. */
  readonly tail?: {
    /** Number of the first item; an item keeps its number as earlier ones come. */
    readonly first: number;
    /** Whether the thread has earlier items, which `onEarlier` reads. */
    readonly hasEarlier: boolean;
    readonly onEarlier: () => void;
  };
  readonly children: (index: number) => ReactNode;
}

/** A windowed list; in a tail earlier items come as one scrolls up. */
export function ItemList({ label, count, tail, children }: ItemListProps) {
  const first = tail?.first ?? 0;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 90,
    overscan: 4,
    anchorTo: tail === undefined ? "start" : "end",
    followOnAppend: tail !== undefined,
    getItemKey: (index) => first + index,
  });
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    if (tail === undefined || element === null) return;
    // what stands above the list comes later than it, and takes from its height
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) rows.scrollToEnd();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
    // once: as items come, the list keeps its place by itself
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <div
      ref={scroller}
      className={styles["scroller"]}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight <= 1;
        if (tail?.hasEarlier && scrollTop < 200) tail.onEarlier();
      }}
    >
      {tail?.hasEarlier && (
        <button
          type="button"
          className={`quiet ${styles["earlier"] ?? ""}`}
          onClick={tail.onEarlier}
        >
          Read earlier items
        </button>
      )}
      <ol className={styles["all"]} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => (
          <li
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            className={styles["placed"]}
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {children(row.index)}
          </li>
        ))}
      </ol>
    </div>
  );
}
