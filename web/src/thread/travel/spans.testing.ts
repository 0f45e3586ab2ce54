import type { Span, Timeline } from "../timeline/timeline";
import type { Course } from "./course";

/** A span for tests: a message at version 1, but for what is given. */
export function span(fields: Partial<Span>): Span {
  return {
    kind: "input",
    name: null,
    from: 1,
    to: 1,
    startMs: null,
    endMs: null,
    outcome: null,
    suspected: [],
    hint: null,
    costUsd: null,
    isComputed: false,
    prices: null,
    tokens: null,
    ordinal: 0,
    threadId: null,
    elapsedMs: null,
    attempt: null,
    ...fields,
  };
}

/** The part of a timeline that the drawing uses. */
export function timelineOf(spans: readonly Span[]): Pick<Timeline, "length" | "span"> {
  return {
    length: spans.length,
    span: (index) => {
      const item = spans[index];
      if (item === undefined) throw new RangeError(`no span ${index}`);
      return item;
    },
  };
}

/** A course with these times, in which nothing is idle. */
export function courseOfTimes(times: readonly number[]): Course {
  const busy = new Int32Array(times.length).fill(1);
  return { last: times.length - 1, isTimed: true, times: Float64Array.from(times), busy };
}
