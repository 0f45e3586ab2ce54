/**
 * JSON whose numbers keep their digits.
 *
 * A number that JavaScript would round becomes an `ExactNumber` with the digits as they were sent.
 */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }

  toJSON(): unknown {
    return rawJson(this.digits);
  }
}

export type Json =
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Digits or an exponent that may not survive: most texts have none, and parse at full speed. */
const LONG_NUMBER = /[-0-9.]{16}|\d[eE]|-0|\.\d*0(?!\d)/;

/** Parses JSON; a number that would lose digits comes as an `ExactNumber`. */
export function parseExact(text: string): Json {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as Json;
  return (JSON.parse as ParseWithSource)(text, (_key, value, context) => {
    if (typeof value !== "number" || context.source === undefined) return value;
    return String(value) === context.source ? value : new ExactNumber(context.source);
  });
}

/** Prints JSON with the digits that `parseExact` kept. */
export function printExact(value: Json, indent?: number): string {
  return JSON.stringify(value, null, indent);
}

type ParseWithSource = (
  text: string,
  reviver: (key: string, value: Json, context: { source?: string }) => Json,
) => Json;

/** `JSON.rawJSON`, which the library types of TypeScript do not have yet. */
const rawJson = Reflect.get(JSON, "rawJSON") as (text: string) => unknown;
