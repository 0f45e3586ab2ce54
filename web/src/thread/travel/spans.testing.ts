import type { Span, Timeline } from "../timeline/timeline";

/** A span for tests: a message at version 1, but for what is given. */
export function span(given: Partial<Span>): Span {
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
    elapsedMs: null,
    ...given,
  };
}

/** The part of a timeline that the drawing uses. */
export function timelineOf(spans: readonly Span[]): Pick<Timeline, "length" | "span"> {
  return {
    length: spans.length,
    span: (index) => {
      const found = spans[index];
      if (found === undefined) throw new RangeError(`no span ${index}`);
      return found;
    },
  };
}
