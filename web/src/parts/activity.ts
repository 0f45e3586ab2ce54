import { useEffect, useState } from "react";

/** A thread without an event for longer is not at work. */
export const QUIET_MS = 15 * 60_000;
const NOW_MS = 5000;

/** What says when a thread moved last: the log's clock, and the producer's of its last message. */
export interface Activity {
  readonly status: string;
  readonly updatedAt: string;
  readonly lastSentAt?: string | null;
}

/** Whether a thread has no end on record and yet is not at work; an import is as old as it says. */
export function isQuiet({ status, updatedAt, lastSentAt = null }: Activity, now: number): boolean {
  const times = [updatedAt, lastSentAt].filter((time) => time !== null).map(Date.parse);
  return status === "open" && now - Math.min(...times) >= QUIET_MS;
}

/** The time, in milliseconds since the epoch, every few seconds. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, NOW_MS);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return now;
}
