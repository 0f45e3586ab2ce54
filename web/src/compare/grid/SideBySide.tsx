import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useShortcuts } from "../../app/keyboard";
import { Failure } from "../../parts/Failure";
import { aligned } from "./alignment";
import styles from "../compare.module.css";
import { Field } from "../Field";
import { difference } from "./folding";
import { Grid } from "./Grid";
import { Parting } from "./Parting";
import { comparisonQuery } from "../queries";

const route = getRouteApi("/compare");
/** Threads that the service compares in one request, at most. */
const MOST = 10;

/** Two or more threads side by side, from the row where they first differ. */
export function SideBySide({ threads }: { threads: readonly string[] }) {
  const { row, steps = "all" } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(comparisonQuery(threads, steps));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => aligned(data?.pages ?? []), [data]);
  const [opened, setOpened] = useState<ReadonlySet<number> | "all">(new Set<number>());
  const first = useMemo(() => difference(rows, -1, 1), [rows]);
  const current = row ?? first;
  useEffect(() => {
    if (row !== undefined && row >= rows.length && hasNextPage && !isFetchingNextPage) {
      void fetchNextPage();
    }
  }, [row, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const change = (part: { row?: number | undefined; steps?: "calls" | undefined }): void => {
    void navigate({ search: (before) => ({ ...before, ...part }) as object, replace: true });
  };
  const move = async (by: 1 | -1): Promise<void> => {
    const from = current ?? -1;
    let found = difference(rows, from, by);
    if (found === undefined && by === 1 && hasNextPage) {
      const more = await fetchNextPage();
      found = difference(aligned(more.data?.pages ?? []), from, by);
    }
    if (found !== undefined) change({ row: found });
  };
  const toggleAll = (): void => {
    setOpened((before) => (before === "all" ? new Set<number>() : "all"));
  };
  useShortcuts("Compare", [
    { key: "n", does: "go to the next difference", run: () => void move(1) },
    { key: "p", does: "go to the previous difference", run: () => void move(-1) },
    {
      key: "d",
      does: "go to the first difference",
      run: () => {
        change({ row: undefined });
      },
    },
    { key: "f", does: "unfold or fold equal steps", run: toggleAll },
  ]);

  const found = data?.pages[0];
  return (
    <main className={`screen ${styles["comparing"] ?? ""}`}>
      <h1 className="hidden">Compare</h1>
      <div className={styles["toolbar"]}>
        <div role="group" aria-label="Differences" className={styles["group"]}>
          <button type="button" title="Previous difference (p)" onClick={() => void move(-1)}>
            ‹ Previous
          </button>
          <button type="button" title="Next difference (n)" onClick={() => void move(1)}>
            Next ›
          </button>
        </div>
        <button
          type="button"
          aria-pressed={opened === "all"}
          title="Unfold or fold (f)"
          onClick={toggleAll}
        >
          Show equal steps
        </button>
        <button
          type="button"
          aria-pressed={steps === "calls"}
          title="Align calls of tools only: where people speak freely, words differ early"
          onClick={() => {
            change({ steps: steps === "calls" ? undefined : "calls", row: undefined });
          }}
        >
          Calls only
        </button>
        <span className={styles["space"]} />
        {threads.length < MOST && (
          <Field
            label="Add thread"
            button="Add"
            onGive={(id) => {
              void navigate({
                search: (before) =>
                  ({ ...before, thread: [...threads, id], row: undefined }) as object,
              });
            }}
          />
        )}
      </div>
      {error !== null && (
        <>
          <Failure error={error} />
          <p>
            Leave out{" "}
            {threads.map((id) => (
              <Link
                key={id}
                className="badge"
                to="/compare"
                search={{ thread: threads.filter((each) => each !== id) }}
              >
                {id}
              </Link>
            ))}
          </p>
        </>
      )}
      {found === undefined && error === null && <p className="loading">Comparing…</p>}
      {found !== undefined && (
        <>
          <Parting
            found={found}
            rows={rows}
            current={current}
            hasMore={hasNextPage}
            onGo={() => {
              change({ row: undefined });
            }}
          />
          <Grid
            threads={threads}
            sides={found.sides}
            rows={rows}
            first={first}
            current={current}
            opened={opened}
            onOpen={(from) => {
              setOpened((before) => {
                const known = before === "all" ? foldsOf(rows) : before;
                return known.has(from)
                  ? new Set([...known].filter((each) => each !== from))
                  : new Set([...known, from]);
              });
            }}
            onNear={() => {
              if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
            }}
          />
        </>
      )}
    </main>
  );
}

function foldsOf(rows: readonly { isEqual: boolean }[]): Set<number> {
  return new Set(
    rows.flatMap(({ isEqual }, row) => (isEqual && rows[row - 1]?.isEqual !== true ? [row] : [])),
  );
}
