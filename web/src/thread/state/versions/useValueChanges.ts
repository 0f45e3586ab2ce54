import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { fetchWithKey } from "../../../api/client";
import { parseExact } from "../../../api/exact";
import type { StatePath } from "../run/runParts";
import type { ValueChange } from "./valueChanges";

interface Page {
  readonly examined: number;
  readonly items: readonly ValueChange[];
  readonly next: string | null;
}

async function changesAfter(
  threadId: string,
  { view, path }: StatePath,
  after: string,
  { limit, signal }: { limit: number; signal?: AbortSignal },
): Promise<Page> {
  const option = view === "agent-state" ? "history" : "texts";
  const query = new URLSearchParams({ view, path, after, limit: `${limit}`, [option]: "false" });
  const url = `/v1/threads/${threadId}/changes?${query.toString()}`;
  const response = await fetchWithKey(url, signal === undefined ? {} : { signal });
  return parseExact(await response.text()) as unknown as Page;
}

function changesQuery(threadId: string, path: StatePath) {
  return infiniteQueryOptions({
    queryKey: ["changes", threadId, path],
    queryFn: ({ pageParam, signal }) =>
      changesAfter(threadId, path, pageParam, { limit: 100, signal }),
    initialPageParam: "0",
    getNextPageParam: ({ next, examined }) => next ?? `${examined}`,
  });
}

/** The changes of what a path selects, page by page from the first version. */
export function useValueChanges(threadId: string, path: StatePath, last: number) {
  const { data, error, fetchNextPage, isFetching } = useInfiniteQuery(changesQuery(threadId, path));
  const end = data?.pages.at(-1);
  const examined = end?.examined ?? 0;
  const isWhole = end?.next === null;
  const hasGrown = isWhole && examined < last;
  useEffect(() => {
    if (hasGrown && !isFetching) void fetchNextPage();
  }, [hasGrown, isFetching, fetchNextPage]);
  return {
    changes: data?.pages.flatMap(({ items }) => items) ?? [],
    /** Last version that was looked at. */
    examined,
    isWhole,
    isFetching,
    error,
    more: () => void fetchNextPage(),
  };
}

/** Returns the first version after `version` that changes the values; null where none does. */
export async function nextChange(
  threadId: string,
  path: StatePath,
  version: number,
): Promise<number | null> {
  let after: string | null = `${version}`;
  while (after !== null) {
    const page: Page = await changesAfter(threadId, path, after, { limit: 1 });
    if (page.items[0] !== undefined) return page.items[0].version;
    after = page.next;
  }
  return null;
}
