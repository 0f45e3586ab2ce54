import { useMemo, useRef, useState } from "react";
import { count, countOf } from "../../parts/format";
import styles from "../compare.module.css";
import { useCopied } from "../copied";
import type { Side } from "../queries";
import type { Row } from "./alignment";
import { Cells } from "./Cells";
import { fold, type FoldLine, type OpenFolds } from "./folding";
import { SideHeader } from "./SideHeader";
import { useAlignmentWindow } from "./useAlignmentWindow";

interface GridProps {
  readonly threads: readonly string[];
  readonly sides: readonly Side[];
  readonly rows: readonly Row[];
  /** Row of the first difference, and the row in sight. */
  readonly first: number | undefined;
  readonly current: number | undefined;
  readonly openFolds: OpenFolds;
  readonly onOpen: (from: number) => void;
  /** The end of what is loaded comes near. */
  readonly onNear: () => void;
}

/** The alignment: a column a thread, a line a row or a folded run of equal ones. */
export function Grid(props: GridProps) {
  const { threads, sides, rows, first, current, openFolds, onOpen, onNear } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const copied = useCopied(sides);
  const [long, setLong] = useState<ReadonlySet<number>>(new Set<number>());
  const lines = useMemo(
    () => fold(rows, (from) => openFolds === "all" || openFolds.has(from)),
    [rows, openFolds],
  );
  const { drawn, height, measure } = useAlignmentWindow(scroller, lines, current, onNear);
  const columns = { gridTemplateColumns: `24px repeat(${sides.length}, minmax(0, 1fr))` };
  return (
    <div className={styles["frame"]}>
      <div
        role="table"
        aria-label="Comparison"
        aria-rowcount={rows.length + 1}
        className={styles["grid"]}
        style={{ minWidth: `max(100%, ${24 + sides.length * 260}px)` }}
      >
        <div role="rowgroup" className={styles["head"]}>
          <div role="row" className={styles["row"]} style={columns}>
            <span role="columnheader">
              <span className="hidden">Difference</span>
            </span>
            <SideHeaders threads={threads} sides={sides} />
          </div>
        </div>
        <div
          ref={scroller}
          role="rowgroup"
          className={styles["body"]}
          tabIndex={0}
          aria-label="Rows"
        >
          <div role="presentation" style={{ height }}>
            {drawn.map(({ index, key, start }) => {
              const line = lines[index];
              const row = line === undefined ? undefined : rows[line.row];
              if (line === undefined || row === undefined) return null;
              const isFold = line.kind === "fold";
              const offset = { transform: `translateY(${start}px)` };
              return (
                <div
                  key={key}
                  ref={measure}
                  data-index={index}
                  role="row"
                  aria-rowindex={isFold ? undefined : line.row + 2}
                  aria-current={!isFold && line.row === current ? "true" : undefined}
                  className={`${styles["line"] ?? ""} ${isFold ? "" : (styles["row"] ?? "")}`}
                  style={isFold ? offset : { ...offset, ...columns }}
                >
                  {isFold ? (
                    <FoldCell
                      line={line}
                      span={sides.length + 1}
                      copied={line.row === 0 ? copied : null}
                      onOpen={onOpen}
                    />
                  ) : (
                    <Cells
                      row={row}
                      sides={sides}
                      isFirstDifference={line.row === first}
                      isLong={long.has(line.row)}
                      onLong={() => {
                        setLong((before) => before.symmetricDifference(new Set([line.row])));
                      }}
                    />
                  )}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The heading of each column, with what may be done to its thread. */
function SideHeaders({ threads, sides }: Pick<GridProps, "threads" | "sides">) {
  return (
    <>
      {sides.map((side, index) => {
        const reference = threads[index] ?? side.threadId;
        const without = threads.filter((_, other) => other !== index);
        return (
          <SideHeader
            key={reference}
            {...{ reference, side, without }}
            isFirst={index === 0}
            first={[reference, ...without]}
          />
        );
      })}
    </>
  );
}

interface FoldCellProps {
  readonly line: FoldLine;
  /** Columns of the table. */
  readonly span: number;
  /** Of a fork beside its origin: the last version that both have; null of any other fold. */
  readonly copied: number | null;
  readonly onOpen: (from: number) => void;
}

/** How many equal steps are folded here, and the way to see them. */
function FoldCell({ line, span, copied, onOpen }: FoldCellProps) {
  return (
    <div role="cell" aria-colspan={span} className={styles["fold"]}>
      <button
        type="button"
        className="quiet"
        aria-expanded={line.isOpen}
        onClick={() => {
          onOpen(line.row);
        }}
      >
        {line.isOpen ? "▾" : "▸"} {countOf(line.steps, "equal step")}
        {copied !== null && `: versions 1 to ${count(copied)} are copied`}
      </button>
    </div>
  );
}
