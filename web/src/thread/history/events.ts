import { queryOptions, useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { fetchWithKey } from "../../api/client";
import { type Json, parseExact } from "../../api/exact";
import { textIn } from "../event/contents";

/** An event as the list of messages has it: its texts cut. */
export type StoredEvent = {
  readonly version: number;
  readonly recordedAt: string;
  readonly type: string;
  readonly kind: "message" | "fact";
  readonly message: { readonly [key: string]: Json };
  readonly metadata: { readonly [key: string]: Json };
  readonly bytes: number;
  readonly cut?: true;
  readonly redacted?: { readonly version: number };
  readonly error?: { readonly detail: string };
};

/** The id of an event's message; empty while it is not read. */
export function idOf(event: StoredEvent | undefined): string {
  return textIn(event?.message, "id") ?? "";
}

/** How events are read: how many at once, and how many characters of each text. */
export interface Portion {
  readonly events: number;
  readonly characters: number;
}

/** Of lines much is in sight, of each the beginning; of cards less, and more of each. */
export const LINES: Portion = { events: 200, characters: 160 };
export const CARDS: Portion = { events: 20, characters: 4000 };

const BETWEEN_READS_MS = 200;

/** One page of events: of lines those after version `page * 200`. What it had is not read again. */
function pageQuery(threadId: string, page: number, { events, characters }: Portion) {
  const queryKey = ["events", threadId, events, page];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }): Promise<readonly StoredEvent[]> => {
      const had = client.getQueryData<readonly StoredEvent[]>(queryKey) ?? [];
      const query = new URLSearchParams({
        after: String(page * events + had.length),
        limit: String(events - had.length),
        cut: String(characters),
        files: "linked",
      });
      const path = `/v1/threads/${threadId}/messages?${query.toString()}`;
      const answer = parseExact(await (await fetchWithKey(path, { signal })).text());
      return [...had, ...(answer as unknown as { items: StoredEvent[] }).items];
    },
  });
}

export interface Events {
  /** The event of a version, once it is read. */
  readonly at: (version: number) => StoredEvent | undefined;
  readonly error: Error | null;
}

/** Reads the pages that have the versions; the last one goes on as the thread grows to `last`. */
export function useEvents(
  threadId: string,
  versions: readonly number[],
  last: number,
  portion = LINES,
): Events {
  const client = useQueryClient();
  const size = portion.events;
  const pages = [...new Set(versions.map((version) => Math.floor((version - 1) / size)))];
  const results = useQueries({ queries: pages.map((page) => pageQuery(threadId, page, portion)) });
  const byPage = new Map(pages.map((page, index) => [page, results[index]?.data]));
  const behind = pages.filter((page, index) => {
    const { data, isFetching } = results[index] ?? {};
    const wanted = Math.min(size, last - page * size);
    return data !== undefined && isFetching === false && data.length < wanted;
  });
  const due = behind.join();
  useEffect(() => {
    if (due === "") return;
    const timer = setTimeout(() => {
      for (const page of due.split(",")) {
        void client.invalidateQueries({ queryKey: ["events", threadId, size, Number(page)] });
      }
    }, BETWEEN_READS_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [client, threadId, size, due]);
  return {
    at: (version) => byPage.get(Math.floor((version - 1) / size))?.[(version - 1) % size],
    error: results.find(({ error }) => error !== null)?.error ?? null,
  };
}
