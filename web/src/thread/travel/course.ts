import { endsOf } from "../../parts/kinds";
import type { Span, Timeline } from "../timeline/timeline";

/**
 * When the thread was at each version; entry 0 is of the point before the first.
 *
 * `times` are milliseconds since the first message, and never fall: a clock that runs backwards
 * stands still. Where no time differs from another they are versions, and `isTimed` is false.
 * `busy` says of each version how many spans were open between it and the next.
 */
export interface Course {
  readonly last: number;
  readonly isTimed: boolean;
  readonly times: Float64Array;
  readonly busy: Int32Array;
}

/** Returns the course of a timeline up to `last`. */
export function courseOf(timeline: Pick<Timeline, "length" | "span">, last: number): Course {
  const clock = new Float64Array(last + 1).fill(NaN);
  const busy = new Int32Array(last + 2);
  for (let index = 0; index < timeline.length; index += 1) {
    const span = timeline.span(index);
    note(clock, span.from, span.startMs);
    note(clock, span.to, span.endMs);
    if (span.from === null || endsOf(span.kind) === null) continue;
    step(busy, span.from, 1);
    step(busy, endOf(span, last), -1);
  }
  busy.forEach((change, version) => {
    busy[version] = change + (busy[version - 1] ?? 0);
  });
  const isTimed = standStill(clock);
  const times = isTimed ? clock : clock.map((_, version) => Math.max(0, version - 1));
  return { last, isTimed, times, busy };
}

/** The version where a span ends: that of its begin where it was given up, the last while open. */
export function endOf({ from, to, suspected }: Span, last: number): number {
  const isGivenUp = to === null && suspected.includes("unanswered");
  return to ?? (isGivenUp ? (from ?? last) : last);
}

/** The last version whose time is not after `time`; 1 where there is none. */
export function versionAt({ times, last }: Course, time: number): number {
  let low = 1;
  let high = last;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((times[middle] ?? Infinity) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

function note(clock: Float64Array, version: number | null, time: number | null): void {
  if (version !== null && time !== null && version < clock.length) clock[version] = time;
}

function step(changes: Int32Array, version: number, by: number): void {
  if (version < changes.length) changes[version] = (changes[version] ?? 0) + by;
}

/** Fills in what has no time, from the first time on; returns whether any two times differ. */
function standStill(clock: Float64Array): boolean {
  const first = clock.find((time) => !Number.isNaN(time)) ?? NaN;
  let latest = 0;
  for (const [version, time] of clock.entries()) {
    if (time - first > latest) latest = time - first;
    clock[version] = latest;
  }
  return latest > 0;
}
