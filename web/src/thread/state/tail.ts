import type { Json } from "../../api/exact";
import { sameJson } from "./stateChanges";

/** A tail begins at a multiple of this many versions, as do those of neighbouring versions. */
const STEP = 100;
/** Added to the number of the first item where it is not known how two tails overlap. */
const ANOTHER = 1_000_000_000;

/** Items of a view at a version: all, or those after the version `after`. */
export interface Items {
  readonly items: readonly Json[];
  /** Characters of their JSON. */
  readonly size: number;
  readonly at: number;
  readonly after: number;
}

/** Returns where a tail of `length` versions begins: the items after that version are in it. */
export function tailBegin(at: number, length: number): number {
  return Math.max(0, Math.floor((at - length) / STEP) * STEP);
}

/** Which number the first item of a tail has. */
export interface Anchor {
  readonly of: Items;
  readonly first: number;
}

/** Returns the number of the first item: an item keeps its number as earlier ones come. */
export function moveAnchor(before: Anchor | null, now: Items): Anchor {
  if (before === null) return { of: now, first: 0 };
  if (before.of.after === now.after) return { of: now, first: before.first };
  const isLonger = before.of.at === now.at;
  const first = before.first + (isLonger ? before.of.items.length - now.items.length : ANOTHER);
  return { of: now, first };
}

/** Returns how many items at the beginning of two lists are the same. */
export function keptItems(before: readonly Json[], now: readonly Json[]): number {
  const firstNew = now.findIndex((item, index) => {
    const old = before[index];
    return old === undefined || !sameJson(old, item);
  });
  return firstNew < 0 ? now.length : firstNew;
}
