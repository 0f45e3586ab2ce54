import type { Json } from "../../../api/exact";

/** A version after which a path selects other values than before it. */
export interface ValueChange {
  readonly version: number;
  /** Null where they are too large to be sent. */
  readonly values: readonly Json[] | null;
  readonly count: number;
  /** Whether the values are not shown whole. */
  readonly cut: boolean;
}

/** Returns the index of the change in force at a version; -1 before the first. */
export function inForce(changes: readonly ValueChange[], version: number): number {
  return changes.findLastIndex((change) => change.version <= version);
}

/** Returns the values of a change on one line. */
export function valuesInShort({ values, count, cut }: ValueChange): string {
  if (values === null) return "too large to show";
  if (count === 0) return "nothing";
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return cut ? `${list} …` : list;
}
