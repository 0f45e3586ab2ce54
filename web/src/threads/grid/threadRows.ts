import { keepPreviousData, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { api, dataOf } from "../../api/client";
import { queries } from "../../app/queries";
import { USUAL_SORT } from "./columns";
import type { Filters } from "../filter/filters";
import type { Summary } from "../standing";

/** Rows of a page: also the most that "N new" counts. */
export const PAGE_ROWS = 100;
const LIVE_MS = 2000;
const COUNT_MS = 10_000;
const MARKED_MS = 3000;

function rowsQuery(
  filters: Filters,
  sort: string,
  offset: number,
  limit = PAGE_ROWS,
  use = "rows",
) {
  return queryOptions({
    queryKey: ["summaries", use, filters, sort, offset],
    queryFn: async ({ signal }) =>
      dataOf(
        await api.GET("/v1/summaries", {
          params: { query: { ...filters, sort, offset, limit } },
          signal,
        }),
      ),
    staleTime: LIVE_MS,
  });
}

/** How many threads match; null until that is known. */
export function useCount(filters: Filters, { isEnabled }: { isEnabled: boolean }): number | null {
  const { data } = useQuery({
    ...rowsQuery(filters, USUAL_SORT, 0, 1, "count"),
    refetchInterval: COUNT_MS,
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  });
  return data?.total ?? null;
}

export interface ThreadRows {
  /** Rows of the list; null until that is known. */
  readonly total: number | null;
  /** A row from 0 on; undefined while it is loaded. */
  readonly rowAt: (index: number) => Summary | undefined;
  /** The rows that are loaded and near. */
  readonly loaded: readonly Summary[];
  /** Index of a thread, if it is among those. */
  readonly indexOf: (threadId: string) => number | undefined;
  /** Position of the log that the list is of, and how many positions that is behind. */
  readonly asOf: number;
  readonly lag: number;
  /** Rows that moved after this position are marked. */
  readonly freshAfter: number;
  /** Threads that came or moved since the list was held, 100 at most. */
  readonly waiting: number;
  readonly error: Error | null;
}

/** Pages in sight, from 0, and where the list is held. */
export interface Sight {
  readonly first: number;
  readonly last: number;
  readonly held: number | null;
}

/**
 * The list of threads around some pages, kept up to date.
 *
 * `held` is the position at which the reader scrolled away from its top: from then on its rows stay
 * in their places, and only their contents are updated. With null, rows move as threads change.
 */
export function useThreadRows(
  filters: Filters,
  sort: string,
  { first, last, held }: Sight,
): ThreadRows {
  const pages = useMemo(() => {
    const near = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    return [...new Set([0, ...near])];
  }, [first, last]);
  const answers = useQueries({
    queries: pages.map((page) => ({
      ...rowsQuery(filters, sort, page * PAGE_ROWS),
      refetchInterval: held === null && LIVE_MS,
      refetchOnWindowFocus: held === null ? ("always" as const) : false,
    })),
  });
  const { data: peek } = useQuery({
    ...rowsQuery(filters, USUAL_SORT, 0, PAGE_ROWS, "peek"),
    refetchInterval: LIVE_MS,
    refetchOnWindowFocus: "always",
    enabled: held !== null,
  });

  const bodies = answers.map(({ data }) => data);
  const answeredAt = answers.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the list of answers is new each time
  const loaded = useMemo(() => bodies.flatMap((page) => page?.items ?? []), [pages, answeredAt]);
  const latest = bodies.reduce((one, other) =>
    (other?.asOf ?? -1) > (one?.asOf ?? -1) ? other : one,
  );
  const moved =
    held === null || peek === undefined ? [] : peek.items.filter(({ position }) => position > held);
  const now = new Map(moved.map((row) => [row.threadId, row]));
  const asOf = Math.max(latest?.asOf ?? 0, held === null ? 0 : (peek?.asOf ?? 0));
  return {
    total: latest?.total ?? null,
    rowAt: (index) => {
      const page = bodies[pages.indexOf(Math.floor(index / PAGE_ROWS))];
      const row = page?.items[index % PAGE_ROWS];
      return row && (now.get(row.threadId) ?? row);
    },
    loaded,
    indexOf: (threadId) => {
      for (const page of bodies) {
        const at = page?.items.findIndex((row) => row.threadId === threadId) ?? -1;
        if (page !== undefined && at >= 0) return page.offset + at;
      }
      return undefined;
    },
    asOf,
    lag: (held === null ? latest : peek)?.lag ?? latest?.lag ?? 0,
    freshAfter: useFreshAfter(asOf),
    waiting: moved.length,
    error: answers.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** Shows the list as it is now, where it was held before. */
export function refresh(): void {
  void queries.invalidateQueries({ queryKey: ["summaries", "rows"] });
}

/** The position that the list was at some seconds ago. */
function useFreshAfter(asOf: number): number {
  const [before, setBefore] = useState<number | null>(null);
  useEffect(() => {
    if (asOf > 0) setTimeout(setBefore, MARKED_MS, asOf);
  }, [asOf]);
  return before ?? asOf;
}
