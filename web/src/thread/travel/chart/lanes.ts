import type { Span, Timeline } from "../../timeline/timeline";
import type { Axis } from "./axis";
import type { Course } from "../course";

/** Lanes from top to bottom. */
export const LANES = ["messages", "model", "tools", "approvals", "workers"] as const;
export type Lane = (typeof LANES)[number];

/** Outcomes of a bar, the worst last: it is drawn where bars share a pixel. */
export const TONES = ["plain", "open", "suspected", "failed"] as const;
export type Tone = (typeof TONES)[number];

/**
 * One row of bars, by their starts, in units of the axis; `reach` is the furthest end so far. A
 * message is a bar that starts and ends at once.
 */
export interface Row {
  readonly lane: Lane;
  readonly spans: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly reach: readonly number[];
  readonly tones: readonly number[];
}

/** Rows of a lane, at most: overlapping bars have their own row, further ones share the last. */
const MOST_ROWS = 3;

/** Returns the rows of the lanes that have any bars. */
export function rowsOf(
  timeline: Pick<Timeline, "length" | "span">,
  course: Course,
  axis: Axis,
): Row[] {
  const lanes = new Map<Lane, Bar[]>();
  for (let index = 0; index < timeline.length; index += 1) {
    const span = timeline.span(index);
    const lane = laneOf(span);
    if (lane === null) continue;
    const bars = lanes.get(lane);
    const bar = barOf(span, index, course, axis);
    if (bars === undefined) lanes.set(lane, [bar]);
    else bars.push(bar);
  }
  return LANES.flatMap((lane) => stacked(lane, lanes.get(lane) ?? []));
}

/** Returns the index of the bar at a place, or of the nearest within `slack`; null if none. */
export function barAt(row: Row, unit: number, slack: number): number | null {
  let found: number | null = null;
  let nearest = slack;
  for (let index = firstAfter(row.starts, unit + slack) - 1; index >= 0; index -= 1) {
    if ((row.reach[index] ?? 0) < unit - slack) break;
    const away = Math.max((row.starts[index] ?? 0) - unit, unit - (row.ends[index] ?? 0), 0);
    if (away < nearest || (found === null && away === nearest)) [found, nearest] = [index, away];
    if (away === 0) break;
  }
  return found;
}

/** Returns the index of the first value above a limit, of values that never fall. */
export function firstAfter(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns how a span ended. */
export function toneOf(span: Span): Tone {
  if (span.outcome === "failed") return "failed";
  if (span.suspected.length > 0 || span.outcome === "denied") return "suspected";
  return span.to === null ? "open" : "plain";
}

interface Bar {
  readonly span: number;
  readonly start: number;
  readonly end: number;
  readonly tone: number;
}

function laneOf({ kind }: Span): Lane | null {
  if (kind === "gap") return null;
  if (kind === "model") return "model";
  if (kind === "call") return "tools";
  if (kind === "approval") return "approvals";
  return kind === "worker" ? "workers" : "messages";
}

function barOf(span: Span, index: number, { times, last }: Course, axis: Axis): Bar {
  const from = span.from ?? span.to ?? 1;
  const isGivenUp = span.to === null && span.suspected.includes("unanswered");
  const to = laneOf(span) === "messages" || isGivenUp ? from : (span.to ?? last);
  const [start, end] = [axis.toUnit(times[from] ?? 0), axis.toUnit(times[to] ?? 0)];
  return { span: index, start, end: Math.max(start, end), tone: TONES.indexOf(toneOf(span)) };
}

/** Puts each bar into the first free row of its lane. */
function stacked(lane: Lane, bars: readonly Bar[]): Row[] {
  const most = lane === "messages" ? 1 : MOST_ROWS;
  const rows: Bar[][] = [];
  const ends: number[] = [];
  for (const bar of bars.toSorted((one, other) => one.start - other.start)) {
    const free = ends.findIndex((end) => end < bar.start || (end === bar.start && bar.end > end));
    const row = free >= 0 ? free : Math.min(rows.length, most - 1);
    (rows[row] ??= []).push(bar);
    ends[row] = Math.max(ends[row] ?? 0, bar.end);
  }
  return rows.map((each) => rowOf(lane, each));
}

function rowOf(lane: Lane, bars: readonly Bar[]): Row {
  let furthest = -Infinity;
  return {
    lane,
    spans: bars.map((bar) => bar.span),
    starts: bars.map((bar) => bar.start),
    ends: bars.map((bar) => bar.end),
    reach: bars.map((bar) => (furthest = Math.max(furthest, bar.end))),
    tones: bars.map((bar) => bar.tone),
  };
}
