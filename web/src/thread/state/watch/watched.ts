import { compile, JSONPathError } from "json-p3";
import { ExactNumber, type Json } from "../../../api/exact";
import type { StateAt } from "../../queries";

/** The selected values, each with its path, or the error of the expression. */
export type Selected =
  | { readonly matches: readonly { readonly path: string; readonly value: Json }[] }
  | { readonly error: string; readonly index: number };

/** Returns what a JSONPath (RFC 9535) selects in a state. */
export function select(expression: string, state: StateAt): Selected {
  try {
    // an ExactNumber is an object, which a path would descend into: plain numbers stand for them
    const nodes = compile(expression).query(plain(state) as never);
    return {
      matches: [...nodes].map((node) => ({
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
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}
