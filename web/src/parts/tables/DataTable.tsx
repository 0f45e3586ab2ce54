import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import styles from "./DataTable.module.css";

export interface Column {
  readonly heading: string;
  /** Its least width in pixels, and its share of the room that is left. */
  readonly width: number;
  /** Figures stand on the right. */
  readonly isFigure?: boolean;
  /** Name that `onOrder` is given; without one the table is not sorted by this column. */
  readonly key?: string;
  /** Stands under the heading. */
  readonly unit?: string;
  readonly comment?: string;
}

export interface DataTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly items: readonly T[];
  /** The contents of an item's row, one cell per column. */
  readonly cells: (item: T, index: number) => readonly ReactNode[];
  /** Key of the column that the rows are sorted by; a minus before it: the largest first. */
  readonly order?: string | undefined;
  readonly onOrder?: (order: string) => void;
  /** Rows in sight before it scrolls; without it the table fills its place. */
  readonly most?: number;
  /** Called when the end is in sight; null where no row follows, or it is being read. */
  readonly onMore?: (() => void) | null;
}

const LINE = 32;
const HEADING = 44;

/** A table of any length: only the rows in sight are drawn. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, items, cells, order, onOrder, most, onMore } = props;
  const { length } = items;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    paddingStart: HEADING,
    overscan: 12,
  });
  const drawn = list.getVirtualItems();
  const isAtEnd = (drawn.at(-1)?.index ?? -1) >= length - 1;
  useEffect(() => {
    if (isAtEnd) onMore?.();
  }, [isAtEnd, onMore]);
  const widths = columns.map(({ width }) => `minmax(${width}px, ${width}fr)`);
  const least = columns.reduce((sum, { width }) => sum + width, 0);
  const grid = { gridTemplateColumns: widths.join(" ") };
  const inSight = most === undefined ? {} : { height: HEADING + Math.min(length, most) * LINE + 2 };
  return (
    <div
      ref={scroller}
      className={styles["scroller"]}
      style={inSight}
      role="table"
      aria-label={label}
      aria-rowcount={length + 1}
      tabIndex={0}
    >
      <div
        role="rowgroup"
        className={styles["rows"]}
        style={{ height: list.getTotalSize(), minWidth: least }}
      >
        <div
          role="row"
          aria-rowindex={1}
          className={`${styles["row"] ?? ""} ${styles["heading"] ?? ""}`}
          style={grid}
        >
          {columns.map((column, index) => (
            <Heading key={index} column={column} order={order} onOrder={onOrder} />
          ))}
        </div>
        {drawn.map(({ index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              className={`${styles["row"] ?? ""} ${styles["line"] ?? ""}`}
              style={{ ...grid, transform: `translateY(${start}px)` }}
            >
              {cells(item, index).map((cell, column) => (
                <span key={column} role="cell" className={sideOf(columns[column])}>
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

function sideOf(column: Column | undefined): string | undefined {
  return column?.isFigure === true ? styles["figure"] : styles["name"];
}

interface HeadingProps {
  readonly column: Column;
  readonly order: string | undefined;
  readonly onOrder: ((order: string) => void) | undefined;
}

function Heading({ column, order, onOrder }: HeadingProps) {
  const { key, heading, unit = "", comment, isFigure = false } = column;
  const isDown = key !== undefined && order === `-${key}`;
  const isUp = key !== undefined && order === key;
  const text = (
    <>
      {heading}
      {isDown && " ↓"}
      {isUp && " ↑"}
    </>
  );
  return (
    <span
      role="columnheader"
      aria-sort={isDown ? "descending" : isUp ? "ascending" : undefined}
      title={comment}
      className={sideOf(column)}
    >
      {onOrder === undefined || key === undefined ? (
        text
      ) : (
        <button
          type="button"
          className="quiet"
          onClick={() => {
            // figures begin with the largest, names with the first
            const isLargestFirst = isFigure ? !isDown : isUp;
            onOrder(isLargestFirst ? `-${key}` : key);
          }}
        >
          {text}
        </button>
      )}
      {unit !== "" && <small>{unit}</small>}
    </span>
  );
}
