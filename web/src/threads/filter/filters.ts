import type { operations } from "../../api/schema";
import { kept } from "../../app/address";
import type { Changed, ThreadsAddress } from "../address";
import { OUTCOME_WORDS } from "../standing";

type Asked = NonNullable<operations["list_summaries_v1_summaries_get"]["parameters"]["query"]>;
export type Filters = Omit<Asked, "sort" | "offset" | "limit" | "wait">;

/** The address without any filter. */
export const NO_FILTERS = {
  q: undefined,
  find: undefined,
  status: undefined,
  outcome: undefined,
  tool: undefined,
  meta: undefined,
  filter: undefined,
  errors: undefined,
  loops: undefined,
  anomalies: undefined,
  failed: undefined,
  pending: undefined,
  hidden: undefined,
  row: undefined,
} satisfies Changed;

/** The filters of an address, as the API names them. */
export function filtersOf(address: ThreadsAddress): Filters {
  const { q, status, outcome, tool, meta, filter, anomalies, loops, pending, hidden } = address;
  return kept({
    ...{ q, status, outcome, filter, anomalies, loops, pending, hidden },
    failed: address.errors,
    verdict: address.failed === true ? ("failed" as const) : undefined,
    tool: tool === undefined ? undefined : [tool],
    metadata:
      meta === undefined
        ? undefined
        : Object.fromEntries(
            meta.map((term) => {
              const [key, value] = keyAndValue(term);
              return [`metadata.${key}`, value] as const;
            }),
          ),
  });
}

export interface Chip {
  readonly words: string;
  /** What the address becomes without it. */
  readonly without: Changed;
}

/** The filters in force that no button in the bar shows. */
export function chips(address: ThreadsAddress): Chip[] {
  const { status, outcome, tool, meta = [], hidden } = address;
  const found: Chip[] = [];
  if (status !== undefined) {
    found.push({ words: `status: ${status}`, without: { status: undefined } });
  }
  if (outcome !== undefined) {
    found.push({ words: `outcome: ${OUTCOME_WORDS[outcome]}`, without: { outcome: undefined } });
  }
  if (tool !== undefined) found.push({ words: `tool: ${tool}`, without: { tool: undefined } });
  if (hidden === true) found.push({ words: "with hidden threads", without: { hidden: undefined } });
  for (const term of meta) {
    const left = meta.filter((each) => each !== term);
    found.push({
      words: keyAndValue(term).join(" = "),
      without: { meta: left.length > 0 ? left : undefined },
    });
  }
  return found;
}

/** Adds `key=value` to filters on metadata, in place of another on the same key. */
export function withTerm(meta: readonly string[], key: string, value: string): string[] {
  return [...meta.filter((term) => keyAndValue(term)[0] !== key), `${key}=${value}`];
}

function keyAndValue(term: string): [string, string] {
  const at = term.indexOf("=");
  return at < 0 ? [term, ""] : [term.slice(0, at), term.slice(at + 1)];
}

/** A metadata value as filters write it: a text that could be read as other JSON is quoted. */
export function asTerm(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return /^(?:-?[0-9].*|true|false|null|".*")$/.test(value) ? JSON.stringify(value) : value;
}
