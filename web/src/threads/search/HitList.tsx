import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { api, dataOf } from "../../api/client";
import { prune } from "../../app/address";
import { Failure } from "../../parts/Failure";
import { countOf, time } from "../../parts/format";
import type { Change, ThreadsAddress } from "../address";
import { FilterBar } from "../filter/FilterBar";
import { filtersOf, NO_FILTERS } from "../filter/filters";
import { byThread, cutExcerpt, type Hit, type HitRow } from "./hits";
import { seenIn } from "../filter/seen";
import styles from "./HitList.module.css";
import screen from "../ThreadsScreen.module.css";

const PAGE_HITS = 50;
const NONE_SEEN = seenIn([]);

function hitsQuery(find: string, filter: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ["hits", find, filter],
    queryFn: async ({ pageParam, signal }) =>
      dataOf(
        await api.GET("/v1/search", {
          params: { query: prune({ filter, q: find, limit: PAGE_HITS, after: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    staleTime: 0, // the log may have grown since
  });
}

interface HitListProps {
  readonly find: string;
  readonly address: ThreadsAddress;
  readonly change: Change;
}

/** Messages whose contents have the text, by thread; each leads to its place. */
export function HitList({ find, address, change }: HitListProps) {
  const { filter } = filtersOf(address); // the search of contents has no hidden threads
  const answer = useInfiniteQuery(hitsQuery(find, filter));
  const { data, error, hasNextPage, isFetching, fetchNextPage } = answer;
  const hits = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const rows = useMemo(() => byThread(hits), [hits]);
  const threads = rows.length - hits.length;
  const after = data?.pages[0]?.searchedAfter ?? null;
  const total = `${countOf(hits.length, "message")} in ${countOf(threads, "thread")}`;
  return (
    <>
      <FilterBar address={address} change={change} seen={NONE_SEEN} isLoaded={false}>
        <span className={styles["standing"]} role="status">
          {data !== undefined && `${hasNextPage ? "The first " : ""}${total}`}
          {after !== null && `, recorded after ${time(after)}: earlier ones are not searched`}
          {isFetching && " Searching…"}
        </span>
      </FilterBar>
      {error !== null && <Failure error={error} />}
      {data !== undefined && hits.length === 0 && !hasNextPage ? (
        <div className={styles["none"]}>
          <h2>No message has “{find}”</h2>
          <p>
            All words must stand in one message; <code>beg*</code> finds words that begin so. Words
            in double quotes must stand side by side.
          </p>
          <button
            type="button"
            onClick={() => {
              change(NO_FILTERS);
            }}
          >
            Show all threads
          </button>
        </div>
      ) : (
        <Rows
          rows={rows}
          find={find}
          hasMore={hasNextPage}
          onEnd={() => {
            if (hasNextPage && !isFetching && error === null) void fetchNextPage();
          }}
        />
      )}
    </>
  );
}

interface RowsProps {
  readonly rows: readonly HitRow[];
  readonly find: string;
  readonly hasMore: boolean;
  /** Called when the end comes in sight. */
  readonly onEnd: () => void;
}

function Rows({ rows, find, hasMore, onEnd }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const windowed = useVirtualizer({
    count: rows.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => 52,
    overscan: 10,
  });
  const last = windowed.getVirtualItems().at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && last >= rows.length) onEnd();
  });
  return (
    <div
      ref={scroller}
      className={screen["list"]}
      role="region"
      aria-label="Messages found"
      tabIndex={0}
    >
      <ul className={styles["rows"]} style={{ height: windowed.getTotalSize() }}>
        {windowed.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return (
            <li
              key={key}
              ref={windowed.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row === undefined ? (
                <p className="loading">Searching earlier messages…</p>
              ) : "hit" in row ? (
                <Found hit={row.hit} find={find} />
              ) : (
                <h2>
                  <Link
                    to="/threads/$threadId"
                    params={{ threadId: row.threadId }}
                    search={{ find }}
                  >
                    {row.threadId}
                  </Link>
                  <span className="badge">{countOf(row.count, "message")}</span>
                </h2>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Found({ hit, find }: { hit: Hit; find: string }) {
  const { threadId, version, type, tools, excerpts, recordedAt } = hit;
  return (
    <Link
      to="/threads/$threadId"
      params={{ threadId }}
      search={{ at: version, find }}
      className={styles["hit"]}
    >
      <span className={styles["place"]} title={`Recorded ${time(recordedAt)}`}>
        {version}
      </span>
      <span className={styles["kind"]}>{[type, ...tools].join(" ")}</span>
      <span className={styles["excerpts"]}>
        {excerpts.map(({ place, text, ranges }) => (
          <span key={place} title={place} className={styles["excerpt"]}>
            {cutExcerpt(text, ranges).map((piece, index) =>
              piece.isHit ? <mark key={index}>{piece.text}</mark> : piece.text,
            )}
          </span>
        ))}
      </span>
    </Link>
  );
}
