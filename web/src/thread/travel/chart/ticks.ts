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

/** What rounding may lose. */
const NEARLY = 1e-6;

/**
 * Returns at most `most` + 1 ticks in the range: at round times, or at round versions where there
 * are no times. Within a pause that is cut there are none.
 */
export function ticksOf(axis: Axis, { from, to }: Range, isTimed: boolean, most: number): Tick[] {
  const room = (to - from) / most;
  const step = isTimed ? stepAbove(room) : roundAbove(room);
  const first = isTimed ? 0 : 1; // versions count from 1, times from 0
  const ticks: Tick[] = [];
  let least = from;
  const end = Math.min(to, axis.length);
  while (ticks.length <= most && least <= end) {
    const value = Math.ceil((axis.toTime(least) + first) / step - NEARLY) * step;
    const unit = axis.toUnit(value - first);
    if (unit > end || axis.toTime(unit) < value - first - NEARLY) break;
    const gap = axis.gaps.find(({ start, end }) => start < unit && unit < end);
    if (gap === undefined) {
      const share = (unit - from) / (to - from);
      ticks.push({ share, text: isTimed ? timeText(value) : `v${value}` });
    }
    least = gap?.end ?? Math.max(unit + room / 2, axis.toUnit(value + step - first));
  }
  return ticks;
}

function stepAbove(room: number): number {
  return STEPS.find((step) => step >= room) ?? DAY * Math.ceil(room / DAY);
}

/** The next of 1, 2, 5, 10, 20, 50 … */
function roundAbove(room: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, room)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= room) ?? 1;
}

/** `0`, `200 ms`, `1.5 s`, `1 m 30 s`, `2 d 5 s`: whole, whatever its length. */
function timeText(time: number): string {
  if (time === 0) return "0";
  if (time < SECOND) return `${time} ms`;
  const parts = [
    [Math.floor(time / DAY), "d"],
    [Math.floor(time / HOUR) % 24, "h"],
    [Math.floor(time / MINUTE) % 60, "m"],
    [Math.round(time % MINUTE) / SECOND, "s"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
