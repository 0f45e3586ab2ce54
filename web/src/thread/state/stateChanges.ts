import { ExactNumber, type Json } from "../../api/exact";
import type { StateAt } from "../queries";

/** A key of the state: its value now, and what it was just before. */
export interface StateKey {
  readonly key: string;
  readonly value: Json | undefined;
  readonly before: Json | undefined;
  readonly change: "added" | "removed" | "changed" | null;
}

/** Returns the keys of two states in their order, then those that only the earlier one has. */
export function stateKeys(before: StateAt, now: StateAt): StateKey[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...keys].map((key) => {
    const old = memberOf(before, key);
    const value = memberOf(now, key);
    return { key, value, before: old, change: changeOf(old, value) };
  });
}

function memberOf(state: StateAt, key: string): Json | undefined {
  return Object.hasOwn(state, key) ? state[key] : undefined;
}

function changeOf(before: Json | undefined, now: Json | undefined): StateKey["change"] {
  if (before === undefined) return "added";
  if (now === undefined) return "removed";
  return sameJson(before, now) ? null : "changed";
}

/** Whether two values are the same JSON; the order of keys does not matter. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (a instanceof ExactNumber) return b instanceof ExactNumber && a.digits === b.digits;
  if (b instanceof ExactNumber) return false;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    const [left, right]: (readonly Json[])[] = [a, b];
    return left?.every((item, index) => sameJson(item, right?.[index] ?? null)) ?? false;
  }
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([key, value]) => {
      const other = right.get(key);
      return other !== undefined && sameJson(value, other);
    })
  );
}

/** Returns the JSONPath of a key of the state, as RFC 9535 normalises it. */
export function pathOfKey(key: string): string {
  const escaped = key.replace(/[\\'\p{Cc}]/gu, (sign) => ESCAPES[sign] ?? hex(sign));
  return `$['${escaped}']`;
}

const ESCAPES: Record<string, string> = {
  "\\": "\\\\",
  "'": "\\'",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function hex(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
