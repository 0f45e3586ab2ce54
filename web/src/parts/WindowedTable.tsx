import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import styles from "./WindowedTable.module.css";

export interface Column {
  readonly name: string;
  /** Width as CSS has it: `8rem`, `minmax(8rem, 1fr)`. */
  readonly width: string;
  readonly isNumber?: boolean;
}

interface WindowedTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly items: readonly T[];
  readonly idOf: (item: T) => string | number;
  /** One cell per column. */
  readonly cells: (item: T) => readonly ReactNode[];
  /** Reads more at the end; null where there is no more, or it is on its way. */
  readonly onMore: (() => void) | null;
  /** Rows in sight before it scrolls. */
  readonly most: number;
}

const ROW_PIXELS = 34;

/** A table of any length: the rows in sight are drawn, and more are read at its end. */
export function WindowedTable<T>(props: WindowedTableProps<T>) {
  const { label, columns, items, idOf, cells, onMore, most } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 8,
  });
  const shown = rows.getVirtualItems();
  const isAtEnd = (shown.at(-1)?.index ?? -1) >= items.length - 1;
  useEffect(() => {
    if (isAtEnd) onMore?.();
  }, [isAtEnd, onMore]);
  const grid = { gridTemplateColumns: columns.map(({ width }) => width).join(" ") };
  const cellClass = (index: number): string | undefined =>
    columns[index]?.isNumber === true ? styles["number"] : undefined;
  return (
    <div
      ref={scroller}
      className={styles["scroller"]}
      style={{ height: (Math.min(items.length, most) + 1) * ROW_PIXELS + 2 }}
      tabIndex={0}
      role="table"
      aria-label={label}
      aria-rowcount={items.length + 1}
    >
      <div role="rowgroup" className={styles["head"]}>
        <div role="row" className={styles["row"]} style={grid} aria-rowindex={1}>
          {columns.map(({ name }, index) => (
            <span key={name} role="columnheader" className={cellClass(index)}>
              {name}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles["all"]} style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <div
              key={idOf(item)}
              role="row"
              aria-rowindex={index + 2}
              className={`${styles["row"] ?? ""} ${styles["placed"] ?? ""}`}
              style={{ ...grid, transform: `translateY(${start}px)` }}
            >
              {cells(item).map((cell, column) => (
                <span key={column} role="cell" className={cellClass(column)}>
                  {cell}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
