import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import { type Change, useChange } from "../app/change";
import type { ThreadAddress } from "./address";
import { headQuery } from "./queries";

const route = getRouteApi("/threads/$threadId");

export interface Cursor {
  readonly threadId: string;
  readonly address: ThreadAddress;
  /** Version under the cursor: 1 to `last`. */
  readonly at: number;
  /** Version of the thread's last event that the page knows of. */
  readonly last: number;
  /** Whether the cursor is at the end, and goes on with it. */
  readonly isAtEnd: boolean;
  /** Moves the cursor. A step of a drag or a play is no entry of the history: `replace`. */
  readonly go: (version: number, options?: { replace?: boolean }) => void;
  /** Changes the rest of the address; undefined removes a part. */
  readonly change: Change<ThreadAddress>;
}

/** Where the reader of the thread is, and the ways to move. */
export function useCursor(): Cursor {
  const { threadId } = route.useParams();
  const address = route.useSearch();
  const { data: head } = useQuery(headQuery(threadId));
  const last = head?.version ?? address.at ?? 1;
  const at = Math.min(address.at ?? last, last);
  const change = useChange<ThreadAddress>(threadId);
  const go = useCallback(
    (version: number, options?: { replace?: boolean }) => {
      const to = Math.max(1, Math.min(version, last));
      change({ at: to === last ? undefined : to }, options);
    },
    [change, last],
  );
  return { threadId, address, at, last, isAtEnd: address.at === undefined, go, change };
}
