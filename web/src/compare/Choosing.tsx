import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { prune } from "../app/address";
import { Failure } from "../parts/Failure";
import { countOf, time } from "../parts/format";
import { quote } from "../parts/text/terms";
import styles from "./compare.module.css";
import { Field } from "./Field";
import { recentQuery, type Summary } from "./queries";
import { Standing } from "./Standing";

const route = getRouteApi("/compare");

/** The forms that choose what is compared, and the threads with the latest events. */
export function Choosing({ chosen }: { chosen: string | undefined }) {
  const navigate = route.useNavigate();
  const { data, error } = useQuery(recentQuery);
  const threads = data?.items ?? [];
  const keys = [...new Set(threads.flatMap(({ metadata }) => Object.keys(metadata)))].sort();
  return (
    <main className={`screen ${styles["choosing"] ?? ""}`}>
      <header>
        <h1>Compare</h1>
        {chosen === undefined ? (
          <p>
            Choose two threads to see where they differ. In the <Link to="/">list of threads</Link>{" "}
            any number can be ticked at once.
          </p>
        ) : (
          <p>
            Compare <strong>{chosen}</strong> with which thread?{" "}
            <Link to="/compare" search={{}}>
              Choose another first thread
            </Link>
          </p>
        )}
        <div className={styles["forms"]}>
          <Field
            label="Thread id"
            isFirst={chosen !== undefined}
            button={chosen === undefined ? "Choose" : "Compare"}
            known={threads.map(({ threadId }) => threadId)}
            onGive={(id) => {
              void navigate({ search: { thread: chosen === undefined ? [id] : [chosen, id] } });
            }}
          />
          <Field
            label="All runs of each task, by the metadata key"
            button="Show tasks"
            known={keys}
            onGive={(by) => {
              void navigate({ search: { by } });
            }}
          />
          <Field
            label="A matrix of runs, by a filter"
            button="Show matrix"
            known={keys.map((key) => `metadata.${quote(key)}:`)}
            mayBeEmpty
            onGive={(text) => {
              const filter = text === "" ? undefined : text;
              void navigate({ search: prune({ matrix: true as const, filter }) });
            }}
          />
        </div>
        {keys.length > 0 && (
          <p className={styles["keys"]}>
            Keys of recent threads:{" "}
            {keys.slice(0, 12).map((key) => (
              <Link key={key} to="/compare" search={{ by: key }} className="badge">
                {key}
              </Link>
            ))}
          </p>
        )}
        <h2>Recent threads</h2>
      </header>
      {error !== null && <Failure error={error} />}
      {data !== undefined && <Recent threads={threads} chosen={chosen} />}
    </main>
  );
}

function Recent({ threads, chosen }: { threads: Summary[]; chosen: string | undefined }) {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: threads.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 58,
    overscan: 10,
  });
  if (threads.length === 0) return <p>There are no threads yet.</p>;
  return (
    <div ref={scroller} className={styles["recent"]} role="region" aria-label="Recent threads">
      <ul style={{ height: lines.getTotalSize() }}>
        {lines.getVirtualItems().map(({ index, start }) => {
          const thread = threads[index];
          if (thread === undefined) return null;
          const { threadId, goal, steps, updatedAt } = thread;
          const isChosen = threadId === chosen;
          return (
            <li key={threadId} style={{ transform: `translateY(${start}px)` }}>
              {isChosen ? (
                <span className="badge accent">Chosen</span>
              ) : (
                <Link
                  to="/compare"
                  search={{ thread: chosen === undefined ? [threadId] : [chosen, threadId] }}
                  className="button"
                  aria-label={`${chosen === undefined ? "Choose" : "Compare with"} ${threadId}`}
                >
                  {chosen === undefined ? "Choose" : "Compare"}
                </Link>
              )}
              <Link to="/threads/$threadId" params={{ threadId }}>
                {threadId}
              </Link>
              <small className={styles["figure"]}>
                {countOf(steps, "step")}
                <span className={styles["moved"]}> · {time(updatedAt)}</span>
              </small>
              <span className={styles["about"]}>
                <Standing thread={thread} />
                <span className={styles["goal"]} title={goal ?? undefined}>
                  {goal}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
