import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, dataOf, fetchWithKey } from "../api/client";
import { parseExact } from "../api/exact";
import { inQuotes } from "../parts/text/terms";
import type { components } from "../api/schema";

type Schemas = components["schemas"];
export type Comparisons = Schemas["Comparisons"];
export type Comparison = Schemas["Comparison"];
export type ComparedItem = Schemas["ComparedItem"];
export type Side = Schemas["Side"];
export type Glimpse = Schemas["Glimpse"];
export type RunSet = Schemas["RunSet"];
export type RunParting = Schemas["RunParting"];
export type RunMatrix = Schemas["RunMatrix"];
export type MatrixRow = Schemas["MatrixRow"];
export type MatrixColumn = Schemas["MatrixColumn"];
export type Tally = Schemas["Tally"];
export type Summary = Schemas["ThreadSummary"];

const PAGE = "200";
/** Equal items around a difference, the most that the service sends; longer runs come folded. */
const CONTEXT = "100";

/** Threads compared with the first of them, page by page, with exact numbers. */
export function comparisonQuery(threads: readonly string[], steps: "all" | "calls") {
  return infiniteQueryOptions({
    queryKey: ["comparison", threads, steps],
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams({ a: threads[0] ?? "", steps });
      for (const thread of threads.slice(1)) query.append("b", thread);
      query.set("limit", PAGE);
      query.set("context", CONTEXT);
      if (pageParam !== null) query.set("after", pageParam);
      const response = await fetchWithKey(`/v1/compare?${query.toString()}`, { signal });
      return parseExact(await response.text()) as unknown as Comparisons;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ comparisons }) =>
      comparisons.map(({ next }) => next).find((next) => next !== null),
  });
}

const PAGE_TASKS = 4;

/** A key of metadata as the API names it; as the command line writes it, it has the prefix. */
function metadataName(key: string): string {
  return key.startsWith("metadata.") ? key : `metadata.${key}`;
}

/** The runs of each task, by the metadata key that names it; some tasks a page. */
export function runSetsQuery(by: string, failed: string) {
  return infiniteQueryOptions({
    queryKey: ["runSets", by, failed],
    staleTime: 0,
    queryFn: async ({ pageParam, signal }) =>
      dataOf(
        await api.GET("/v1/compare/sets", {
          params: {
            query: {
              by: metadataName(by),
              failed,
              after: pageParam,
              limit: PAGE_TASKS,
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

/** Which runs a matrix is of: these threads, else those of a filter, as `metadata.task:46`. */
interface MatrixOptions {
  readonly thread: readonly string[];
  readonly filter: string;
  readonly failed: string;
  readonly steps: "all" | "calls";
}

/** Many runs as a matrix. */
export function matrixQuery({ thread, ...options }: MatrixOptions) {
  return queryOptions({
    queryKey: ["matrix", thread, options],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const query = { thread: [...thread], ...options };
      return dataOf(await api.GET("/v1/compare/matrix", { params: { query }, signal }));
    },
  });
}

/** A thread's counts and sums; null where the list has no such thread. */
export function summaryQuery(threadId: string) {
  return queryOptions({
    queryKey: ["summary", threadId],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const query = { filter: `thread:${inQuotes(threadId)}`, limit: 1 };
      const { items } = dataOf(await api.GET("/v1/summaries", { params: { query }, signal }));
      return items[0] ?? null;
    },
  });
}

/** The threads with the latest events. */
export const recentQuery = queryOptions({
  queryKey: ["recent"],
  staleTime: 0,
  queryFn: async ({ signal }) =>
    dataOf(await api.GET("/v1/summaries", { params: { query: { limit: 100 } }, signal })),
});
