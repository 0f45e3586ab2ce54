import { duration } from "../../../parts/format";
import type { Axis, Range } from "./axis";

/** A place on the axis, as a share of its shown part, with what it says. */
export interface Tick {
  readonly share: number;
  readonly text: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Steps that readers count in, in milliseconds. */
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
];
/** Of the distance between two ticks: those nearer to each other are left out. */
const TOO_NEAR = 0.5;

/** Returns at most `most` + 1 ticks with round times; without times, with versions, each once. */
export function ticksOf(axis: Axis, { from, to }: Range, isTimed: boolean, most: number): Tick[] {
  const width = (to - from) / most;
  const ticks: Tick[] = [];
  for (let index = 0; index <= most; index += 1) {
    const unit = from + index * width;
    // the axis is cut at pauses: how much time lies around the place says how to round there
    const around = axis.toTime(unit + width / 2) - axis.toTime(unit - width / 2);
    const time = isTimed ? rounded(axis.toTime(unit), around) : Math.round(axis.toTime(unit));
    const share = (axis.toUnit(time) - from) / (to - from);
    const text = isTimed ? (time > 0 ? duration(time) : "0") : `v${time + 1}`;
    const before = ticks.at(-1);
    const isFree = before === undefined || share - before.share > TOO_NEAR / most;
    if (share >= 0 && share <= 1 && isFree && text !== before?.text) ticks.push({ share, text });
  }
  return ticks;
}

function rounded(time: number, around: number): number {
  const step = STEPS.findLast((length) => length <= around) ?? STEPS[0] ?? 1;
  const length = around > 2 * DAY ? DAY : step;
  return Math.round(time / length) * length;
}
