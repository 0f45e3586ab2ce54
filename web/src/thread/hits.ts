import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api, dataOf } from "../api/client";
import { useCursor } from "./cursor";

/** A message that matches, with the texts and values that the filter asks for. */
export interface Hit {
  readonly version: number;
  readonly excerpts: readonly {
    readonly place: string;
    readonly text: string;
    readonly ranges: readonly (readonly number[])[];
  }[];
}

export interface Hits {
  /** Versions of the events that match, in their order. */
  readonly versions: readonly number[];
  readonly of: ReadonlyMap<number, Hit>;
  /** Whether there are more: those found are the first. */
  readonly areMore: boolean;
  /** The thread's version that they are of. */
  readonly version: number;
}

const MOST_PAGES = 20;
const PAGE_LENGTH = 10_000;
const GROWING_MS = 3000;
const NO_HITS: Hits = { versions: [], of: new Map(), areMore: false, version: 0 };

function hitsQuery(threadId: string, filter: string) {
  return queryOptions({
    queryKey: ["hits", threadId, filter],
    queryFn: async ({ signal }): Promise<Hits> => {
      const of = new Map<number, Hit>();
      let after: string | null = null;
      let version = 0;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = { filter, after, limit: PAGE_LENGTH };
        const answer: { items: Hit[]; next: string | null; version: number } = dataOf(
          await api.GET("/v1/threads/{thread_id}/matches", {
            params: { path: { thread_id: threadId }, query },
            signal,
          }),
        );
        for (const hit of answer.items) of.set(hit.version, hit);
        version = answer.version;
        after = answer.next;
        if (after === null) break;
      }
      return { versions: [...of.keys()], of, areMore: after !== null, version };
    },
    placeholderData: keepPreviousData,
  });
}

/** The texts that were found in an event, in small letters, each once. */
export function textsOf(hit: Hit | undefined): string[] {
  const texts = (hit?.excerpts ?? []).flatMap(({ text, ranges }) => {
    const signs = Array.from(text); // the ranges count characters, not units of UTF-16
    return ranges.map(([from, to]) => signs.slice(from, to).join("").toLowerCase());
  });
  return [...new Set(texts)].filter((text) => text !== "");
}

/** The events that match the filter `find`; read again at intervals as the thread grows. */
export function useHits(): Hits & { readonly error: Error | null; readonly isPending: boolean } {
  const { threadId, address, last } = useCursor();
  const text = address.find;
  const { data, error, isFetching } = useQuery({
    ...hitsQuery(threadId, text ?? ""),
    enabled: text !== undefined,
    refetchInterval: ({ state }) => ((state.data?.version ?? last) < last ? GROWING_MS : false),
  });
  const hits = text === undefined || data === undefined ? NO_HITS : data;
  return { ...hits, error, isPending: isFetching && data === undefined };
}
