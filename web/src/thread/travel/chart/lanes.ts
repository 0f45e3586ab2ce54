import { wordOf } from "../../timeline/span";
import type { Span, Timeline } from "../../timeline/timeline";
import type { Axis } from "./axis";
import { type Course, endOf } from "../course";

/** Lanes from top to bottom. */
export const LANES = ["messages", "model", "tools", "approvals", "workers"] as const;
export type Lane = (typeof LANES)[number];

/** Outcomes of a bar, the worst last: it is drawn where bars share a pixel. */
export const TONES = ["plain", "open", "suspected", "told", "failed"] as const;
export type Tone = (typeof TONES)[number];

/**
 * One row of bars, by their starts, in units of the axis; `reach` is the furthest end so far. A
 * message is a bar that starts and ends at once. `top` and `height` are pixels.
 */
export interface Row {
  readonly lane: Lane;
  readonly top: number;
  readonly height: number;
  readonly spans: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly reach: readonly number[];
  readonly tones: readonly number[];
}

/** A lane as it is drawn: how many rows it would have, and whether they are folded into one. */
export interface LaneRows {
  readonly lane: Lane;
  readonly rows: readonly Row[];
  readonly unfolded: number;
}

/** Heights in pixels; a row that can be unfolded has room for a button. */
export const ROW = 16;
export const FOLDED_ROW = 24;

/** Rows of a lane, at most: bars that overlap have rows of their own, further ones share the last. */
const MOST_ROWS: Readonly<Record<Lane, number>> = {
  messages: 1,
  model: 12,
  tools: 40,
  approvals: 12,
  workers: 100,
};

/** Returns the lanes that have any bars, from top to bottom; each worker has a row of its own. */
export function lanesOf(
  timeline: Pick<Timeline, "length" | "span">,
  course: Course,
  axis: Axis,
  folded: readonly string[],
): LaneRows[] {
  const barsOf = new Map<Lane, Bar[]>();
  for (let index = 0; index < timeline.length; index += 1) {
    const span = timeline.span(index);
    const lane = laneOf(span);
    if (lane === null) continue;
    const bars = barsOf.get(lane);
    const bar = barOf(span, index, course, axis);
    if (bars === undefined) barsOf.set(lane, [bar]);
    else bars.push(bar);
  }
  let top = 0;
  return LANES.filter((lane) => barsOf.has(lane)).map((lane) => {
    const bars = (barsOf.get(lane) ?? []).toSorted((one, other) => one.start - other.start);
    const stacked = stack(lane, bars);
    const isFolded = stacked.length > 1 && folded.includes(lane);
    const height = isFolded ? FOLDED_ROW : ROW;
    const rows = (isFolded ? [bars] : stacked).map((row) => {
      top += height;
      return rowOf(lane, row, { top: top - height, height });
    });
    return { lane, rows, unfolded: stacked.length };
  });
}

/** Returns the index of the bar at a place, or of the nearest within `slack`; null if none. */
export function barAt(row: Row, unit: number, slack: number): number | null {
  let bar: number | null = null;
  let nearest = slack;
  for (let index = firstAfter(row.starts, unit + slack) - 1; index >= 0; index -= 1) {
    if ((row.reach[index] ?? 0) < unit - slack) break;
    const away = Math.max((row.starts[index] ?? 0) - unit, unit - (row.ends[index] ?? 0), 0);
    if (away < nearest || (bar === null && away === nearest)) [bar, nearest] = [index, away];
    if (away === 0) break;
  }
  return bar;
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
  if (span.outcome === "failed") return "failed"; // a model call too
  if (span.outcome === "denied") return "suspected";
  return wordOf(span) ?? openOf(span);
}

function openOf(span: Span): Tone {
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
  const to = laneOf(span) === "messages" ? from : endOf(span, last);
  const [start, end] = [axis.toUnit(times[from] ?? 0), axis.toUnit(times[to] ?? 0)];
  return { span: index, start, end: Math.max(start, end), tone: TONES.indexOf(toneOf(span)) };
}

/** Puts each bar into the first free row of its lane. */
function stack(lane: Lane, bars: readonly Bar[]): Bar[][] {
  const most = MOST_ROWS[lane];
  const rows: Bar[][] = [];
  const ends: number[] = [];
  for (const bar of bars) {
    const isOwn = lane === "workers" && rows.length < most;
    const free = isOwn ? -1 : ends.findIndex((end) => isAfter(bar, end));
    const row = free >= 0 ? free : Math.min(rows.length, most - 1);
    (rows[row] ??= []).push(bar);
    ends[row] = Math.max(ends[row] ?? 0, bar.end);
  }
  return rows;
}

function isAfter({ start, end }: Bar, unit: number): boolean {
  return unit < start || (unit === start && end > unit);
}

function rowOf(lane: Lane, bars: readonly Bar[], box: Pick<Row, "top" | "height">): Row {
  let furthest = -Infinity;
  return {
    lane,
    ...box,
    spans: bars.map((bar) => bar.span),
    starts: bars.map((bar) => bar.start),
    ends: bars.map((bar) => bar.end),
    reach: bars.map((bar) => (furthest = Math.max(furthest, bar.end))),
    tones: bars.map((bar) => bar.tone),
  };
}
