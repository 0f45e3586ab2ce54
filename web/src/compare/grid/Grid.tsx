import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { counted } from "../../parts/format";
import type { Row } from "./alignment";
import { Cells } from "./Cells";
import styles from "../compare.module.css";
import { folded } from "./folding";
import type { Side } from "../queries";
import { SideHeader } from "./SideHeader";

interface GridProps {
  readonly threads: readonly string[];
  readonly sides: readonly Side[];
  readonly rows: readonly Row[];
  /** Row of the first difference, and the row in sight. */
  readonly first: number | undefined;
  readonly current: number | undefined;
  /** First rows of the runs that are unfolded. */
  readonly opened: ReadonlySet<number> | "all";
  readonly onOpen: (from: number) => void;
  /** The end of what is loaded comes near. */
  readonly onNear: () => void;
}

const NEAR = 20;

/** The alignment: a column a thread, a line a row or a folded run of equal ones. */
export function Grid(props: GridProps) {
  const { threads, sides, rows, first, current, opened, onOpen, onNear } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [long, setLong] = useState<ReadonlySet<number>>(new Set<number>());
  const lines = useMemo(
    () => folded(rows, (from) => opened === "all" || opened.has(from)),
    [rows, opened],
  );
  const keyOf = (index: number): string => {
    const line = lines[index];
    return line === undefined ? String(index) : `${line.kind} ${line.row}`;
  };
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: (index) => (lines[index]?.kind === "fold" ? 34 : 110),
    overscan: 6,
    scrollPaddingStart: 48,
  });
  const wanted = lines.findIndex(({ kind, row }) => kind === "row" && row === current);
  useEffect(() => {
    if (wanted >= 0) list.scrollToIndex(wanted, { align: "start" });
    // only where the row changes: an unfolded run must not move the reader
  }, [current, wanted >= 0]); // eslint-disable-line react-hooks/exhaustive-deps
  const shown = list.getVirtualItems();
  const isNear = (shown.at(-1)?.index ?? 0) + NEAR >= lines.length;
  useEffect(() => {
    if (isNear) onNear();
  });

  const columns = { gridTemplateColumns: `24px repeat(${sides.length}, minmax(0, 1fr))` };
  const width = { minWidth: `max(100%, ${24 + sides.length * 260}px)` };
  return (
    <div className={styles["frame"]}>
      <div
        role="table"
        aria-label="Comparison"
        aria-rowcount={rows.length + 1}
        className={styles["grid"]}
        style={width}
      >
        <div role="rowgroup" className={styles["head"]}>
          <div role="row" className={styles["row"]} style={columns}>
            <span role="columnheader">
              <span className="hidden">Difference</span>
            </span>
            {sides.map((side, index) => {
              const asked = threads[index] ?? side.threadId;
              const without = threads.filter((_, each) => each !== index);
              return (
                <SideHeader
                  key={asked}
                  asked={asked}
                  side={side}
                  isFirst={index === 0}
                  first={[asked, ...without]}
                  without={without}
                />
              );
            })}
          </div>
        </div>
        <div
          ref={scroller}
          role="rowgroup"
          className={styles["body"]}
          tabIndex={0}
          aria-label="Rows"
        >
          <div role="presentation" style={{ height: list.getTotalSize() }}>
            {shown.map(({ index, key, start }) => {
              const line = lines[index];
              const row = line === undefined ? undefined : rows[line.row];
              if (line === undefined || row === undefined) return null;
              const place = { transform: `translateY(${start}px)` };
              return line.kind === "fold" ? (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  role="row"
                  className={styles["line"]}
                  style={place}
                >
                  <div role="cell" aria-colspan={sides.length + 1} className={styles["fold"]}>
                    <button
                      type="button"
                      className="quiet"
                      aria-expanded={line.isOpen}
                      onClick={() => {
                        onOpen(line.row);
                      }}
                    >
                      {line.isOpen ? "▾" : "▸"} {counted(line.steps, "equal step")}
                    </button>
                  </div>
                </div>
              ) : (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  role="row"
                  aria-rowindex={line.row + 2}
                  aria-current={line.row === current ? "true" : undefined}
                  className={`${styles["line"] ?? ""} ${styles["row"] ?? ""}`}
                  style={{ ...place, ...columns }}
                >
                  <Cells
                    row={row}
                    sides={sides}
                    isFirstDifference={line.row === first}
                    isLong={long.has(line.row)}
                    onLong={() => {
                      setLong((before) =>
                        before.has(line.row)
                          ? new Set([...before].filter((each) => each !== line.row))
                          : new Set([...before, line.row]),
                      );
                    }}
                  />
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
