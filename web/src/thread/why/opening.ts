import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { END, type ThreadAddress } from "../address";
import { useCursor } from "../cursor";
import { type Why, whyQuery } from "./queries";
import { leadOf } from "./texts";

/**
 * Where a thread opens whose address names no version: at its first failure, on record or told,
 * else at what was said last; a run that goes on without a failure, and one that says nothing, at the end.
 */
export function openingOf(why: Why): NonNullable<ThreadAddress["at"]> {
  const { last, outcome } = why;
  const lead = leadOf(why);
  if (lead !== null) return lead.version;
  return last === null || outcome.end === null ? END : last.version;
}

/** Goes to where the thread opens, unless the address says where; returns whether it is there. */
export function useOpening(): boolean {
  const { threadId, address, change } = useCursor();
  const isOpened = address.at !== undefined;
  const { data, isError } = useQuery({ ...whyQuery(threadId), enabled: !isOpened });
  useEffect(() => {
    if (isOpened || (data === undefined && !isError)) return;
    change({ at: data === undefined ? END : openingOf(data) }, { replace: true });
  }, [isOpened, data, isError, change]);
  return isOpened;
}
