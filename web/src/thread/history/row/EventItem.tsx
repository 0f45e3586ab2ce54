import type { CSSProperties, ReactNode } from "react";
import type { StoredEvent } from "../events";
import styles from "../history.module.css";
import { linesOf } from "./labels";
import { WORKER_HEIGHT, WorkerEvents } from "./WorkerEvents";
import workerStyles from "./WorkerEvents.module.css";

interface EventItemProps {
  readonly index: number;
  readonly length: number;
  /** Pixels from the top of the list, and the item's own. */
  readonly top: number;
  readonly height: number;
  /** Groups around it. */
  readonly depth: number;
  /** The event whose worker's events are shown below it. */
  readonly unfolded: StoredEvent | undefined;
  readonly children: ReactNode;
}

/** Groups around a row that it is indented for. */
const DEEPEST = 6;

/** A row at its place in the list, with the events of its worker where they are unfolded. */
export function EventItem(props: EventItemProps) {
  const { index, length, top, height, depth, unfolded, children } = props;
  const worker = unfolded === undefined ? undefined : linesOf(unfolded)[0]?.threadId;
  const indent = { "--depth": Math.min(depth, DEEPEST) };
  const style: CSSProperties = { transform: `translateY(${top}px)`, height, ...indent };
  return (
    <li
      className={`${styles["row"] ?? ""} ${worker === undefined ? "" : (workerStyles["row"] ?? "")}`}
      style={style}
      aria-setsize={length}
      aria-posinset={index + 1}
    >
      {children}
      {worker !== undefined && (
        <div
          className={workerStyles["block"]}
          style={{ height: WORKER_HEIGHT }}
          role="region"
          aria-label={`Thread ${worker}`}
          tabIndex={0}
        >
          <WorkerEvents threadId={worker} />
        </div>
      )}
    </li>
  );
}
