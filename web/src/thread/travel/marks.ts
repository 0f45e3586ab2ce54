import type { Mark } from "../timeline/span";
import type { Timeline } from "../timeline/timeline";

/** Returns where a version lies on a track of `width` pixels. */
export function placeOf(version: number, last: number, width: number): number {
  return last <= 1 ? 0 : ((version - 1) / (last - 1)) * width;
}

/** Returns the version at a place on the track, or the nearest. */
export function versionOn(x: number, last: number, width: number): number {
  const share = width > 0 ? x / width : 0;
  return 1 + Math.round(Math.max(0, Math.min(1, share)) * (last - 1));
}

/** Returns the pixels that versions fall on, each once. */
export function pixelsOf(versions: Iterable<number>, last: number, width: number): number[] {
  const pixels = new Set<number>();
  for (const version of versions) pixels.add(Math.round(placeOf(version, last, width)));
  return [...pixels];
}

/** Returns all versions with a mark, from the first. */
export function withMark(timeline: Pick<Timeline, "find">, mark: Mark): number[] {
  const versions: number[] = [];
  let version = timeline.find(mark, 0, 1);
  while (version !== null) {
    versions.push(version);
    version = timeline.find(mark, version, 1);
  }
  return versions;
}

/** Returns the version nearest to `from` in a direction, of versions that rise. */
export function next(versions: readonly number[], from: number, by: 1 | -1): number | null {
  const neighbour =
    by === 1
      ? versions.find((version) => version > from)
      : versions.findLast((version) => version < from);
  return neighbour ?? null;
}
