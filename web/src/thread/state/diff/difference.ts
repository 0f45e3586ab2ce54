import { diffArrays } from "diff";
import { ExactNumber, type Json } from "../../../api/exact";
import { sameJson } from "../stateChanges";

/** The difference between two values, as a tree. */
export type DiffNode =
  /** Unchanged neighbours; `value` has them as an object or a list. */
  | { readonly kind: "same"; readonly key: string; readonly count: number; readonly value: Json }
  | { readonly kind: "added" | "removed"; readonly key: string; readonly value: Json }
  | { readonly kind: "changed"; readonly key: string; readonly before: Json; readonly after: Json }
  | { readonly kind: "inside"; readonly key: string; readonly children: readonly DiffNode[] };

/** Edits that are searched for in a list; with more, the list counts as replaced. */
const MOST_EDITS = 500;

/** Returns the difference of two values; objects and lists are compared entry by entry. */
export function diffTree(key: string, before: Json, after: Json): DiffNode {
  if (sameJson(before, after)) return { kind: "same", key, count: 1, value: after };
  if (isList(before) && isList(after))
    return { kind: "inside", key, children: ofLists(before, after) };
  if (isObject(before) && isObject(after)) {
    return { kind: "inside", key, children: ofObjects(before, after) };
  }
  return { kind: "changed", key, before, after };
}

function ofObjects(before: Members, after: Members): DiffNode[] {
  const nodes: DiffNode[] = [];
  let same: [string, Json][] = [];
  const settle = (): void => {
    if (same.length > 0) {
      const value = Object.fromEntries(same);
      nodes.push({ kind: "same", key: same[0]?.[0] ?? "", count: same.length, value });
    }
    same = [];
  };
  for (const [key, old] of Object.entries(before)) {
    const now = Object.hasOwn(after, key) ? after[key] : undefined;
    if (now !== undefined && sameJson(old, now)) {
      same.push([key, now]);
      continue;
    }
    settle();
    nodes.push(now === undefined ? { kind: "removed", key, value: old } : diffTree(key, old, now));
  }
  settle();
  for (const [key, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, key)) nodes.push({ kind: "added", key, value });
  }
  return nodes;
}

function ofLists(before: readonly Json[], after: readonly Json[]): DiffNode[] {
  const runs = diffArrays([...before], [...after], {
    comparator: sameJson,
    maxEditLength: MOST_EDITS,
  }) ?? [
    { value: [...before], removed: true, added: false },
    { value: [...after], removed: false, added: true },
  ];
  const nodes: DiffNode[] = [];
  let removed: readonly Json[] = [];
  let index = 0;
  const settle = (added: readonly Json[]): void => {
    nodes.push(...pairwise(removed, added, index));
    index += added.length;
    removed = [];
  };
  for (const run of runs) {
    if (run.removed) {
      settle([]);
      removed = run.value;
    } else if (run.added) {
      settle(run.value);
    } else {
      settle([]);
      nodes.push({ kind: "same", key: `${index}`, count: run.value.length, value: run.value });
      index += run.value.length;
    }
  }
  settle([]);
  return nodes;
}

/** Entries that stand in the place of others are compared one by one. */
function pairwise(removed: readonly Json[], added: readonly Json[], index: number): DiffNode[] {
  const longest = Math.max(removed.length, added.length);
  return Array.from({ length: longest }, (_, offset): DiffNode => {
    const key = `${index + offset}`;
    const [old, now] = [removed[offset], added[offset]];
    if (old === undefined) return { kind: "added", key, value: now ?? null };
    return now === undefined ? { kind: "removed", key, value: old } : diffTree(key, old, now);
  });
}

type Members = { readonly [key: string]: Json };

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is Members {
  return (
    typeof value === "object" && value !== null && !isList(value) && !(value instanceof ExactNumber)
  );
}
