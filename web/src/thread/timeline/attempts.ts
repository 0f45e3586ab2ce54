import type { Span } from "./span";
import type { ThreadTimeline } from "./threadTimeline";

/** A call among its attempts. */
export interface Series {
  readonly attempts: readonly Span[];
  /** Its place among them, from 0. */
  readonly index: number;
}

/** The series of attempts that a call is one of; null where nothing was tried again. */
export function seriesOf(timeline: ThreadTimeline, call: Span): Series | null {
  const attempts = timeline.attempts(call);
  const index = attempts.findIndex(
    ({ from, ordinal }) => from === call.from && ordinal === call.ordinal,
  );
  return index < 0 ? null : { attempts, index };
}

/**
 * Where the next or the previous attempt stands at what an event calls or answers: its result, where
 * the event is one; null where there is none.
 */
export function attemptBeside(timeline: ThreadTimeline, at: number, by: 1 | -1): number | null {
  for (const call of timeline.at(at).filter(({ kind }) => kind === "call")) {
    const series = seriesOf(timeline, call);
    const beside = series?.attempts[series.index + by];
    if (beside !== undefined) return at === call.from ? beside.from : (beside.to ?? beside.from);
  }
  return null;
}
