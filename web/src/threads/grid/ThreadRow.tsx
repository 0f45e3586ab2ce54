import { Link } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { countOf, duration } from "../../parts/format";
import { Words } from "../../parts/Words";
import { type Column, metadataText } from "./columns";
import { hasBroken, standing, type Summary } from "../standing";
import styles from "./ThreadRow.module.css";

interface ThreadRowProps {
  readonly index: number;
  /** Undefined while it is loaded. */
  readonly row: Summary | undefined;
  readonly columns: readonly Column[];
  readonly isNarrow: boolean;
  /** Place in the rows, and height, in pixels. */
  readonly top: number;
  readonly size: number;
  readonly now: number;
  readonly isSelected: boolean;
  readonly isTicked: boolean;
  /** Whether it is new or has moved in the last seconds. */
  readonly isFresh: boolean;
  readonly onOpen: () => void;
  readonly onTick: () => void;
}

/** A thread: a row of cells, or a card. */
export function ThreadRow(props: ThreadRowProps) {
  const { index, row, columns, isNarrow, top, size, isSelected, isTicked, isFresh } = props;
  const classes = [
    styles[isNarrow ? "card" : "row"],
    isSelected && styles["selected"],
    isFresh && styles["fresh"],
    row !== undefined && hasBroken(row) && styles["broken"],
  ];
  return (
    <div
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={classes.filter(Boolean).join(" ")}
      style={{ transform: `translateY(${top}px)`, height: size }}
      onClick={(event) => {
        if (!isForBrowser(event)) props.onOpen();
      }}
    >
      {row === undefined ? (
        <div role="gridcell" className={styles["loading"]}>
          <span className="hidden">Loading</span>
        </div>
      ) : isNarrow ? (
        <Card row={row} now={props.now} />
      ) : (
        <>
          <div
            role="gridcell"
            onClick={(event) => {
              event.stopPropagation(); // a click beside the box opens nothing
            }}
          >
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={`Tick ${row.threadId}`}
              checked={isTicked}
              onChange={props.onTick}
            />
          </div>
          {columns.map((column) => (
            <Cell key={column.id} column={column} row={row} now={props.now} />
          ))}
        </>
      )}
    </div>
  );
}

/** Whether a click asks the browser for another tab or window. */
function isForBrowser(event: MouseEvent): boolean {
  return event.ctrlKey || event.metaKey || event.shiftKey;
}

function Cell({ column, row, now }: { column: Column; row: Summary; now: number }) {
  const { id, isNumber = false, toneOf } = column;
  const tone = toneOf?.(row) ?? column.tone;
  const words = column.text(row, now);
  const isNone = words === "–" || (words === "0" && toneOf === undefined);
  const classes = [isNumber && styles["number"], isNone && styles["none"]];
  return (
    <div
      role="gridcell"
      className={classes.filter(Boolean).join(" ")}
      title={isNumber ? column.note?.(row) : words}
    >
      {id === "threadId" ? (
        <ThreadLink row={row} />
      ) : id === "status" ? (
        <StandingBadge row={row} now={now} />
      ) : tone !== undefined && !isNone ? (
        <span className={`badge ${tone}`}>{words}</span>
      ) : (
        words
      )}
    </div>
  );
}

function ThreadLink({ row }: { row: Summary }) {
  return (
    <Link
      to="/threads/$threadId"
      params={{ threadId: row.threadId }}
      search={row.hidden ? { hidden: true } : {}}
      tabIndex={-1}
      className={styles["id"]}
      onClick={(event) => {
        if (!isForBrowser(event)) event.preventDefault(); // the row opens it
      }}
    >
      {row.threadId}
    </Link>
  );
}

function StandingBadge({ row, now }: { row: Summary; now: number }) {
  const { words, tone } = standing(row, now);
  return (
    <>
      <span className={`badge ${tone}`}>{words}</span>
      {row.hidden && <span className="badge">hidden</span>}
    </>
  );
}

function Card({ row, now }: { row: Summary; now: number }) {
  return (
    <div role="gridcell" className={styles["content"]}>
      <div className={styles["line"]}>
        <ThreadLink row={row} />
        <StandingBadge row={row} now={now} />
      </div>
      <div className={styles["goal"]}>{row.goal ?? metadataText(row)}</div>
      <div className={styles["line"]}>
        <small>
          {countOf(row.steps, "step")} · {countOf(row.toolCalls, "call")} ·{" "}
          {duration(row.durationMs)}
        </small>
        <span>
          <Words of={row} />
          {row.anomalies > 0 && (
            <span className="badge warn">{countOf(row.anomalies, "anomaly", "anomalies")}</span>
          )}
        </span>
      </div>
    </div>
  );
}
