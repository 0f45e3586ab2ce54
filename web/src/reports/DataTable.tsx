import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import styles from "./DataTable.module.css";

export interface Column {
  /** Empty where it is nothing to sort by. */
  readonly key: string;
  readonly heading: string;
  /** The unit, under the heading; empty for none. */
  readonly unit: string;
  readonly comment: string;
  readonly isFigure: boolean;
  /** Its least width in pixels, and its share of the room that is left. */
  readonly width: number;
}

interface DataTableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly length: number;
  readonly cell: (row: number, column: number) => ReactNode;
  /** Column the rows are sorted by, a minus before it for the largest first. */
  readonly order?: string | undefined;
  readonly onOrder?: (order: string) => void;
}

const LINE = 30;
const HEADING = 44;

/** A table of any length: figures right, headings with their units, drawn where it is looked at. */
export function DataTable({ label, columns, length, cell, order, onOrder }: DataTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    paddingStart: HEADING,
    overscan: 15,
  });
  const widths = columns.map(({ width }) => `minmax(${width}px, ${width}fr)`);
  const least = columns.reduce((sum, { width }) => sum + width, 0);
  const grid = { gridTemplateColumns: widths.join(" "), minWidth: least };
  return (
    <div
      ref={scroller}
      className={styles["scroller"]}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={length + 1}
        className={styles["table"]}
        style={{ height: list.getTotalSize(), minWidth: least }}
      >
        <div
          role="row"
          className={`${styles["row"] ?? ""} ${styles["heading"] ?? ""}`}
          style={grid}
        >
          {columns.map((column) => (
            <Heading key={column.key} column={column} order={order} onOrder={onOrder} />
          ))}
        </div>
        {list.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            role="row"
            aria-rowindex={index + 2}
            className={`${styles["row"] ?? ""} ${styles["line"] ?? ""}`}
            style={{ ...grid, transform: `translateY(${start}px)` }}
          >
            {columns.map(({ key, isFigure }, column) => (
              <span key={key} role="cell" className={isFigure ? styles["figure"] : styles["name"]}>
                {cell(index, column)}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

interface HeadingProps {
  readonly column: Column;
  readonly order: string | undefined;
  readonly onOrder: ((order: string) => void) | undefined;
}

function Heading({ column, order, onOrder }: HeadingProps) {
  const { key, heading, unit, comment, isFigure } = column;
  const isDown = order === `-${key}`;
  const isUp = order === key;
  const text = (
    <>
      {heading}
      {isDown && " ↓"}
      {isUp && " ↑"}
    </>
  );
  // figures are asked for by their largest, names by their first
  const next = isFigure ? (isDown ? key : `-${key}`) : isUp ? `-${key}` : key;
  return (
    <span
      role="columnheader"
      aria-sort={isDown ? "descending" : isUp ? "ascending" : undefined}
      title={comment}
      className={isFigure ? styles["figure"] : styles["name"]}
    >
      {onOrder === undefined || key === "" ? (
        text
      ) : (
        <button
          type="button"
          className="quiet"
          onClick={() => {
            onOrder(next);
          }}
        >
          {text}
        </button>
      )}
      {unit !== "" && <small>{unit}</small>}
    </span>
  );
}
