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
/** A cut pause is drawn as this part of the longest that is not. */
const CUT = 1 / 3;

/** Returns the axis of times that never fall, in milliseconds from 0. */
export function axisOf(times: Float64Array): Axis {
  const knots = new Set(times);
  const moments = Float64Array.from(knots);
  const units = new Float64Array(moments.length);
  const longest = longestPause(moments);
  const gaps: Gap[] = [];
  for (let index = 1; index < moments.length; index += 1) {
    const [from, to] = [at(moments, index - 1), at(moments, index)];
    const start = at(units, index - 1);
    const end = start + (to - from > longest ? longest * CUT : to - from);
    units[index] = end;
    if (to - from > longest) gaps.push({ from, to, start, end });
  }
  return {
    length: at(units, units.length - 1),
    gaps,
    toUnit: (time) => between(moments, units, time),
    toTime: (unit) => between(units, moments, unit),
  };
}

/**
 * Returns the length above which pauses are cut: at most a minute, and so that cut pauses take at
 * most a quarter of the axis; the median pause where that cannot be.
 */
export function longestPause(moments: Float64Array): number {
  const pauses = moments.slice(1).map((moment, index) => moment - at(moments, index));
  pauses.sort();
  let whole = pauses.reduce((sum, pause) => sum + pause, 0);
  if (at(pauses, pauses.length - 1) <= LONGEST_PAUSE_MS) return LONGEST_PAUSE_MS;
  for (let cut = 1; cut < pauses.length; cut += 1) {
    whole -= at(pauses, pauses.length - cut);
    const longest = Math.min(LONGEST_PAUSE_MS, whole / cut);
    if (longest >= at(pauses, pauses.length - cut - 1)) return longest;
  }
  return Math.min(LONGEST_PAUSE_MS, at(pauses, pauses.length >> 1));
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
export function scaled(range: Range, factor: number, around: number, axis: Axis): Range {
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
