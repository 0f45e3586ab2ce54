import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Connection } from "../api/stream";
import { useCursor } from "./cursor";
import { groupsQuery } from "./history/groups/groups";
import { headQuery } from "./queries";
import { remarksQuery } from "./remarks/queries";
import { whyQuery } from "./why/queries";
import { useStanding, useTimeline } from "./timeline/timeline";

const QUIET_MS = 500;

export interface Following {
  readonly connection: Connection;
  /** Events that the page does not show because it is paused. */
  readonly news: number;
}

/** Moves the thread's known end as the stream brings events, unless the reader paused it. */
export function useFollowing(): Following {
  const { threadId, last, address } = useCursor();
  const client = useQueryClient();
  const timeline = useTimeline();
  const { connection, loadedTo, pause } = useStanding();
  const isPaused = address.paused === true;
  const grown = isPaused ? last : Math.max(last, loadedTo);
  const lastAtOpen = useRef(last);
  useEffect(() => {
    pause(isPaused);
    // an answer that is still on its way would tell of events after the pause
    if (isPaused)
      void client.cancelQueries({ queryKey: headQuery(threadId).queryKey, exact: true });
  }, [client, threadId, pause, isPaused]);
  useEffect(() => {
    if (grown === last) return;
    const { queryKey } = headQuery(threadId);
    client.setQueryData(queryKey, (head) => head && { ...head, version: grown });
    const news = new Set<string | null>();
    for (let version = last + 1; version <= grown; version += 1) news.add(timeline.typeOf(version));
    if (news.has("thread.redacted")) void client.resetQueries({ queryKey: ["events", threadId] });
    if (news.has("thread.noted") || news.has("thread.judged"))
      void client.invalidateQueries(remarksQuery(threadId));
  }, [client, threadId, timeline, last, grown]);
  useEffect(() => {
    if (isPaused) return;
    // status, metadata and anomalies, once the thread is quiet
    const timer = setTimeout(() => {
      void client.invalidateQueries({ queryKey: headQuery(threadId).queryKey, exact: true });
      if (last === lastAtOpen.current) return;
      void client.invalidateQueries({ queryKey: whyQuery(threadId).queryKey });
      void client.invalidateQueries({ queryKey: groupsQuery(threadId).queryKey });
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [client, threadId, isPaused, last]);
  return { connection, news: Math.max(0, loadedTo - last) };
}
