import { noop, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { fetchWithKey } from "../../api/client";
import { type Json, parseExact } from "../../api/exact";
import type { ViewName } from "../address";
import { useCursor } from "../cursor";
import { type Anchor, type Items, moveAnchor, tailBegin } from "./tail";

/** Versions at the end of a thread whose items are read at first. */
const TAIL = 200;

/** A view's items with its options as in a URL: `openai?mark=true`. */
export type ViewPath = ViewName | "openai?mark=true";

export function itemsQuery(threadId: string, viewPath: ViewPath, at: number, after: number) {
  return queryOptions({
    queryKey: ["items", threadId, viewPath, at, after],
    queryFn: async ({ signal }): Promise<Items> => {
      // a place is a version and an ordinal; none of a version's items has one so high
      const afterPlace = after === 0 ? "" : `&after=${after}.999999999`;
      const [view, options = ""] = viewPath.split("?");
      const path = `/v1/threads/${threadId}/views/${view ?? ""}`;
      // with a limit the service begins near the place; without, at the thread's first event
      const query = `?bare=true&limit=1000000&at=${at}${afterPlace}&${options}`;
      const text = await (await fetchWithKey(path + query, { signal })).text();
      return { items: parseExact(text) as readonly Json[], size: text.length, at, after };
    },
  });
}

/** Returns a view whole at a version, as the service writes it. */
export async function wholeText(threadId: string, view: ViewName, at: number): Promise<string> {
  const path = `/v1/threads/${threadId}/views/${view}?bare=true&at=${at}`;
  return (await fetchWithKey(path)).text();
}

/** The last items of a view at the cursor; `earlier` reads twice as far back. */
export function useTail(viewPath: ViewPath) {
  const { threadId, at, last } = useCursor();
  const client = useQueryClient();
  const [length, setLength] = useState(TAIL);
  const { data, error, isPlaceholderData } = useQuery({
    ...itemsQuery(threadId, viewPath, at, tailBegin(at, length)),
    // what was read before stays, for it says its version; not that of another thread or view
    placeholderData: (before: Items | undefined, query?: { queryKey: readonly unknown[] }) =>
      query?.queryKey[1] === threadId && query.queryKey[2] === viewPath ? before : undefined,
  });
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  if (data !== undefined && anchor?.of !== data) setAnchor(moveAnchor(anchor, data));
  useEffect(() => {
    for (const version of [at + 1, at - 1]) {
      if (version < 1 || version > last) continue;
      const begin = tailBegin(version, length);
      client.query(itemsQuery(threadId, viewPath, version, begin)).catch(noop);
    }
  }, [client, threadId, viewPath, at, last, length]);
  return {
    tail: data,
    /** Number of the tail's first item; an item keeps its number as earlier ones come. */
    first: anchor?.first ?? 0,
    error,
    earlier: () => {
      if (!isPlaceholderData) setLength(length * 2);
    },
  };
}
