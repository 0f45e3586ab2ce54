import type { Course } from "../course";

/** A pause drawn shorter than it was: from and to in milliseconds and in units of the axis. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** A part of an axis, in its units. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Time drawn to the right, with long pauses cut: one unit is a millisecond, but in a gap. */
export interface Axis {
  readonly length: number;
  readonly gaps: readonly Gap[];
  toUnit(time: number): number;
  toTime(unit: number): number;
}

/** Longer pauses are always cut. */
const LONGEST_PAUSE_MS = 60_000;
/** So are idle ones of more than this part of the run. */
const LONGEST_IDLE = 1 / 3;
/** Pauses are alike where the longest is shorter than so many median ones. */
const ALIKE = 3;
/** A cut pause is drawn as this part of the longest that is not. */
const CUT = 1 / 3;

/** Returns the axis of a course: its times are milliseconds from 0, and never fall. */
export function axisOf(course: Omit<Course, "last">): Axis {
  const pauses = pausesOf(course);
  const longest = longestPause(pauses.map(({ from, to }) => to - from));
  const whole = pauses.reduce((sum, { from, to }) => sum + Math.min(to - from, longest), 0);
  const idle = pauses.filter(({ isIdle }) => isIdle).map(({ from, to }) => to - from);
  const longestIdle = Math.min(longest, limitOf(idle, whole, whole * LONGEST_IDLE) ?? longest);
  const moments = new Float64Array(pauses.length + 1);
  const units = new Float64Array(pauses.length + 1);
  moments[0] = at(course.times, 0);
  const gaps: Gap[] = [];
  for (const [index, { from, to, isIdle }] of pauses.entries()) {
    const limit = isIdle ? longestIdle : longest;
    const start = at(units, index);
    const end = start + (to - from > limit ? limit * CUT : to - from);
    moments[index + 1] = to;
    units[index + 1] = end;
    if (to - from > limit) gaps.push({ from, to, start, end });
  }
  return {
    length: at(units, units.length - 1),
    gaps,
    toUnit: (time) => between(moments, units, time),
    toTime: (unit) => between(units, moments, unit),
  };
}

/** The time between two moments that follow each other; idle where no span was open. */
interface Pause {
  readonly from: number;
  readonly to: number;
  readonly isIdle: boolean;
}

function pausesOf({ times, busy, isTimed }: Omit<Course, "last">): Pause[] {
  const pauses: Pause[] = [];
  for (let version = 1; version < times.length; version += 1) {
    const [from, to] = [at(times, version - 1), at(times, version)];
    if (to > from) pauses.push({ from, to, isIdle: isTimed && busy[version - 1] === 0 });
  }
  return pauses;
}

/**
 * Returns the length above which pauses are cut: at most a minute, and so that cut pauses take at
 * most a quarter of the axis; the median pause where that cannot be, none where all are alike.
 */
export function longestPause(pauses: readonly number[]): number {
  const whole = pauses.reduce((sum, pause) => sum + pause, 0);
  const limit = limitOf(pauses, whole, LONGEST_PAUSE_MS);
  if (limit !== null) return limit;
  const rising = pauses.toSorted((one, other) => one - other);
  const median = rising[pauses.length >> 1] ?? 0;
  const areAlike = (rising.at(-1) ?? 0) < ALIKE * median;
  return areAlike ? Infinity : Math.min(LONGEST_PAUSE_MS, median);
}

/** The limit, at most `most`, above which cut pauses take at most a quarter of what is `whole`. */
function limitOf(pauses: readonly number[], whole: number, most: number): number | null {
  const falling = pauses.toSorted((one, other) => other - one);
  if ((falling[0] ?? 0) <= most) return most;
  let left = whole;
  for (const [index, pause] of falling.entries()) {
    left -= pause;
    const limit = Math.min(most, left / (index + 1));
    if (limit > 0 && limit >= (falling[index + 1] ?? 0)) return limit;
  }
  return null;
}

/** Reads the part of the axis that an address names, as `1000-90000` in milliseconds. */
export function rangeIn(zoom: string | undefined, axis: Axis): Range | null {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(zoom ?? "") ?? [];
  if (from === undefined || to === undefined) return null;
  const range = { from: axis.toUnit(Number(from)), to: axis.toUnit(Number(to)) };
  return range.to > range.from ? range : null;
}

/** Prints a part of the axis for the address. */
export function zoomTo({ from, to }: Range, axis: Axis): string {
  return `${Math.floor(axis.toTime(from))}-${Math.ceil(axis.toTime(to))}`;
}

/** Returns a part of the axis scaled around a place, kept within the axis. */
export function scale(range: Range, factor: number, around: number, axis: Axis): Range {
  const width = Math.min((range.to - range.from) * factor, axis.length);
  const share = (around - range.from) / (range.to - range.from);
  const wanted = around - width * (share >= 0 && share <= 1 ? share : 0.5);
  const from = Math.max(0, Math.min(wanted, axis.length - width));
  return { from, to: from + width };
}

/** Interpolates between knots; what lies outside is at the end. */
function between(from: Float64Array, to: Float64Array, value: number): number {
  const last = from.length - 1;
  if (!(value > at(from, 0))) return at(to, 0);
  if (value >= at(from, last)) return at(to, last);
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (at(from, middle) <= value) low = middle;
    else high = middle;
  }
  const share = (value - at(from, low)) / (at(from, high) - at(from, low));
  return at(to, low) + share * (at(to, high) - at(to, low));
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0;
}
