import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import { type Change, useChange } from "../app/change";
import { END, type ThreadAddress } from "./address";
import { headQuery } from "./queries";

const route = getRouteApi("/threads/$threadId");

export interface Cursor {
  readonly threadId: string;
  readonly address: ThreadAddress;
  /** Version under the cursor: 1 to `last`. */
  readonly at: number;
  /** Version of the thread's last event known to the page. */
  readonly last: number;
  /** The version that the address asks for, where the thread does not have it; else null. */
  readonly beyond: number | null;
  /** Whether the cursor is at the end, and goes on with it. */
  readonly isAtEnd: boolean;
  /** Pinned versions: 0 to `last`. */
  readonly a: number | undefined;
  readonly b: number | undefined;
  /** Moves the cursor. With `replace`, as for a drag, it adds no entry to the browser's history. */
  readonly go: (version: number, options?: { replace?: boolean }) => void;
  /** Changes the rest of the address; undefined removes a part. */
  readonly change: Change<ThreadAddress>;
}

/** The cursor in the open thread, and functions that move it. */
export function useCursor(): Cursor {
  const { threadId } = route.useParams();
  const address = route.useSearch();
  const { data: head } = useQuery(headQuery(threadId));
  const addressVersion = address.at === END ? undefined : address.at;
  const last = head?.version ?? addressVersion ?? 1;
  const at = Math.min(addressVersion ?? last, last);
  const change = useChange<ThreadAddress>(threadId);
  const go = useCallback(
    (version: number, options?: { replace?: boolean }) => {
      const to = Math.max(1, Math.min(version, last));
      change({ at: to === last ? END : to }, options);
    },
    [change, last],
  );
  const a = address.a && Math.min(address.a, last);
  const b = address.b && Math.min(address.b, last);
  const beyond = addressVersion !== undefined && addressVersion > last ? addressVersion : null;
  const isAtEnd = addressVersion === undefined;
  return { threadId, address, at, last, beyond, isAtEnd, a, b, go, change };
}
