import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { cost, costNote, count, duration } from "../../parts/format";
import styles from "../compare.module.css";
import { type Side, summaryQuery } from "../queries";
import { Standing } from "../Standing";

interface SideHeaderProps {
  /** As asked for: an id, or `ID@VERSION`. */
  readonly reference: string;
  readonly side: Side;
  /** Whether the others are compared with it. */
  readonly isFirst: boolean;
  /** What the address is with that thread first, and without it. */
  readonly first: readonly string[];
  readonly without: readonly string[];
}

/** The head of a column: the thread, its goal, its end and its figures. */
export function SideHeader({ reference, side, isFirst, first, without }: SideHeaderProps) {
  const { data: thread } = useQuery(summaryQuery(side.threadId));
  const isPast = reference !== side.threadId;
  return (
    <div role="columnheader" className={styles["side"]}>
      <div className={styles["sideTop"]}>
        <Link
          to="/threads/$threadId"
          params={{ threadId: side.threadId }}
          search={isPast ? { at: side.version } : {}}
        >
          {side.threadId}
        </Link>
        <small>
          version {count(side.version)}
          {isPast && " of then"}
        </small>
        <span className={styles["space"]} />
        {isFirst ? (
          <span className="badge accent" title="The others are compared with this">
            first
          </span>
        ) : (
          <Link
            to="/compare"
            search={(before) => ({ ...before, thread: [...first], row: undefined }) as object}
            className="badge"
            aria-label={`make first: ${reference}`}
            title="Compare the others with this"
          >
            make first
          </Link>
        )}
        <Link
          to="/compare"
          search={(before) => ({ ...before, thread: [...without], row: undefined }) as object}
          aria-label={`Remove ${reference}`}
          title="Remove"
          className={styles["remove"]}
        >
          ✕
        </Link>
      </div>
      {thread?.goal != null && (
        <div className={styles["goal"]} title={thread.goal}>
          {thread.goal}
        </div>
      )}
      {thread != null && (
        <div className={styles["figures"]}>
          <Standing thread={thread} />
          <span>{count(thread.steps)} steps</span>
          <span>time {duration(thread.durationMs)}</span>
          <span title={costNote(thread.computedCalls, thread.unpricedCalls)}>
            cost {cost(thread.costUsd, thread.computedCalls)}
          </span>
        </div>
      )}
    </div>
  );
}
