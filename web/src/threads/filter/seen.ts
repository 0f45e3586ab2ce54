import { scalarTerm } from "../../parts/text/terms";
import type { Summary } from "../standing";

export interface Seen {
  readonly tools: readonly string[];
  /** Keys of metadata, each with its values as filters say them. */
  readonly metadata: ReadonlyMap<string, readonly string[]>;
}

const MOST_VALUES = 50;

/** The tools and metadata of rows, sorted, as choices for filters and columns. */
export function seenIn(rows: readonly Summary[]): Seen {
  const tools = new Set<string>();
  const values = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const tool of row.tools) tools.add(tool);
    for (const [key, value] of Object.entries(row.metadata)) {
      const known = values.get(key) ?? new Set();
      if (known.size < MOST_VALUES) known.add(scalarTerm(value));
      values.set(key, known);
    }
  }
  const keys = [...values.keys()].sort();
  return {
    tools: [...tools].sort(),
    metadata: new Map(keys.map((key) => [key, [...(values.get(key) ?? [])].sort()])),
  };
}
