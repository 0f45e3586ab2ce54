import { compile, JSONPathError } from "json-p3";
import { ExactNumber, type Json } from "../../../api/exact";
import type { StateAt } from "../../queries";

/** What an expression selects, each value with its path; or why it cannot be read. */
export type Watched =
  | { readonly found: readonly { readonly path: string; readonly value: Json }[] }
  | { readonly error: string; readonly index: number };

/** Returns what a JSONPath (RFC 9535) selects in a state. */
export function watched(expression: string, state: StateAt): Watched {
  try {
    // numbers that keep their digits are objects here: the path is followed over plain ones
    const nodes = compile(expression).query(plain(state) as never);
    return {
      found: [...nodes].map((node) => ({
        path: node.getPath(),
        value: node.location.reduce<Json>(memberOf, state),
      })),
    };
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    return { error: error.message.replace(/ \('.*':\d+\)$/s, ""), index: error.token.index };
  }
}

function memberOf(value: Json, key: string | number): Json {
  return (value as { readonly [key: string | number]: Json })[key] ?? null;
}

function plain(value: Json): Json {
  if (value instanceof ExactNumber) return Number(value.digits);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
