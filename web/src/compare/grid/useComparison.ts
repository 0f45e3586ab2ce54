import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { type Comparisons, comparisonQuery } from "../queries";
import { align, type Row } from "./alignment";
import { difference } from "./folding";

const route = getRouteApi("/compare");

export interface ComparisonInSight {
  /** The first page, which has the sides and the first difference; undefined before it is read. */
  readonly page: Comparisons | undefined;
  readonly error: Error | null;
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly readMore: () => void;
  /** Row of the first difference, and of the one in sight. */
  readonly first: number | undefined;
  readonly current: number | undefined;
  readonly step: (by: 1 | -1) => Promise<void>;
  readonly goToFirst: () => void;
  /** Which steps are aligned. */
  readonly steps: "all" | "calls";
  readonly toggleSteps: () => void;
}

/** Threads compared, read page by page; the row in sight and the steps stand in the address. */
export function useComparison(threads: readonly string[]): ComparisonInSight {
  const { row, steps = "all" } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(comparisonQuery(threads, steps));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => align(data?.pages ?? []), [data]);
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
  return {
    page: data?.pages[0],
    error,
    rows,
    hasMore: hasNextPage,
    readMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    first,
    current,
    step: async (by) => {
      const from = current ?? -1;
      let target = difference(rows, from, by);
      if (target === undefined && by === 1 && hasNextPage) {
        const more = await fetchNextPage();
        target = difference(align(more.data?.pages ?? []), from, by);
      }
      if (target !== undefined) change({ row: target });
    },
    goToFirst: () => {
      change({ row: undefined });
    },
    steps,
    toggleSteps: () => {
      change({ steps: steps === "calls" ? undefined : "calls", row: undefined });
    },
  };
}
