import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { Failure } from "../../parts/Failure";
import { count, countOf } from "../../parts/format";
import { Field } from "../Field";
import { type RunSet, runSetsQuery } from "../queries";
import { isMixed, isUnknown } from "./sets";
import { Task } from "./Task";
import styles from "./tasks.module.css";

const route = getRouteApi("/compare");

/** All runs of each task: how they ended, and where they part. */
export function Tasks({ by }: { by: string }) {
  const { failed = "", mixed } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isMore } = useRunSets(by, failed);
  const sets = (data?.items ?? []).filter((set) => mixed !== true || isMixed(set));
  return (
    <main className={`screen ${styles["tasks"] ?? ""}`}>
      <header>
        <h1>Runs of each {by}</h1>
        <div className={styles["tools"]}>
          <Field
            key={failed}
            label="A run failed where"
            button="Use"
            start={failed}
            mayBeEmpty
            known={["metadata.reward:0", "exit:error"]}
            onGive={(text) => {
              const next = text === "" ? undefined : text;
              void navigate({ search: (before) => ({ ...before, failed: next }) as object });
            }}
          />
          <button
            type="button"
            aria-pressed={mixed === true}
            onClick={() => {
              const next = mixed === true ? undefined : true;
              void navigate({ search: (before) => ({ ...before, mixed: next }) as object });
            }}
          >
            Only with differing results
          </button>
          <Link to="/compare" search={{}}>
            Choose again
          </Link>
        </div>
        {data !== undefined && (
          <p className={styles["said"]}>
            {countOf(sets.length, "task")}
            {isMore && " so far"}
            {data.lacking > 0 && `; ${countOf(data.lacking, "thread")} without ${by} left out`}
            {data.cut && "; older threads left out: 1,000 threads are compared at most"}. Calls of
            tools are compared{failed === "" && "; a run failed whose verdict is so"}.
          </p>
        )}
      </header>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <p className="loading">Comparing all runs…</p>}
      {data !== undefined && !isMore && sets.length === 0 && (
        <p>
          {data.items.length === 0
            ? `No thread has the metadata key ${by}.`
            : "No task has both failed runs and others."}
        </p>
      )}
      {failed !== "" && sets.length > 0 && sets.every(isUnknown) && (
        <p role="status">
          No run has what <code>{failed}</code> is about: whether one failed is unknown.
        </p>
      )}
      {sets.length > 0 && <TaskList {...{ sets, by, failed }} />}
    </main>
  );
}

interface TaskListProps {
  readonly sets: readonly RunSet[];
  readonly by: string;
  readonly failed: string;
}

/** Tasks as they are compared, some at a time. */
function useRunSets(by: string, failed: string) {
  const answer = useInfiniteQuery(runSetsQuery(by, failed));
  const { data, error, isFetching, hasNextPage, fetchNextPage } = answer;
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  const pages = data?.pages ?? [];
  const [first] = pages;
  return {
    data: first && { ...first, items: pages.flatMap(({ items }) => items) },
    error,
    isMore: hasNextPage,
  };
}

function TaskList({ sets, by, failed }: TaskListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set<number>());
  const list = useVirtualizer({
    count: sets.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 58,
    overscan: 10,
  });
  return (
    <div ref={scroller} className={styles["list"]} role="region" aria-label="Tasks" tabIndex={0}>
      <div
        role="table"
        aria-label="Tasks"
        aria-rowcount={sets.length + 1}
        style={{ height: list.getTotalSize() + HEADING }}
      >
        <div role="row" className={`${styles["row"] ?? ""} ${styles["heading"] ?? ""}`}>
          {["Task", "Runs", "Ended", "First difference", "Compare"].map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
        {list.getVirtualItems().map(({ index, start }) => {
          const set = sets[index];
          if (set === undefined) return null;
          return (
            <div
              key={index}
              ref={list.measureElement}
              data-index={index}
              role="row"
              aria-rowindex={index + 2}
              className={`${styles["row"] ?? ""} ${styles["task"] ?? ""}`}
              style={{ transform: `translateY(${start + HEADING}px)` }}
            >
              <Task
                {...{ set, by, failed }}
                isOpen={open.has(index)}
                onOpen={() => {
                  setOpen((before) =>
                    before.has(index)
                      ? new Set([...before].filter((open) => open !== index))
                      : new Set([...before, index]),
                  );
                }}
              />
            </div>
          );
        })}
      </div>
      <span className="hidden" aria-live="polite">
        {count(sets.length)} tasks
      </span>
    </div>
  );
}

const HEADING = 30;
