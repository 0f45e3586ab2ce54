/** Readers of values in an address. A value that cannot be read counts as missing. */

export type Search = Record<string, unknown>;

export function textIn(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

export function textsIn(value: unknown): string[] | undefined {
  const texts = (Array.isArray(value) ? value : [value])
    .map(textIn)
    .filter((text) => text !== undefined);
  return texts.length > 0 ? texts : undefined;
}

/** A whole number from `least` on. */
export function wholeIn(value: unknown, least = 0): number | undefined {
  const whole = typeof value === "string" ? Number(value) : value;
  return Number.isSafeInteger(whole) && (whole as number) >= least ? (whole as number) : undefined;
}

export function flagIn(value: unknown): true | undefined {
  return value === true || value === "true" ? true : undefined;
}

export function oneIn<T extends string>(known: readonly T[], value: unknown): T | undefined {
  return known.find((word) => word === value);
}

/** The keys of a record that has an entry for each of them. */
export function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[];
}

/** Leaves out undefined values, so that they are not written into the address. */
export function prune<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
