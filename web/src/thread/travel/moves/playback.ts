export const SPEEDS = [1, 10, 100] as const;
export type Speed = (typeof SPEEDS)[number];

/** Milliseconds that a pause plays at most, at any speed. */
const LONGEST_PAUSE_MS = 1000;
/** A step between versions of the same time takes this long at 1×. */
const SHORTEST_PAUSE_MS = 100;

/** A playhead: the version shown, and for how many milliseconds it has been. */
export interface Playhead {
  readonly version: number;
  readonly waited: number;
}

/** Returns how long a version is shown before the next: the pause that was there, divided. */
export function pauseAfter(version: number, times: Float64Array, speed: Speed): number {
  const pause = (times[version + 1] ?? 0) - (times[version] ?? 0);
  return Math.min(Math.max(pause, SHORTEST_PAUSE_MS) / speed, LONGEST_PAUSE_MS);
}

/** Returns the playhead after some milliseconds more; it stays at `last`. */
export function advance(
  { version, waited }: Playhead,
  elapsed: number,
  { times, speed, last }: { times: Float64Array; speed: Speed; last: number },
): Playhead {
  let left = waited + elapsed;
  let now = version;
  while (now < last) {
    const pause = pauseAfter(now, times, speed);
    if (left < pause) break;
    left -= pause;
    now += 1;
  }
  return { version: now, waited: now < last ? left : 0 };
}
