import type { operations } from "../../api/schema";
import { prune } from "../../app/address";
import { inQuotes } from "../../parts/text/terms";
import type { Changed, ThreadsAddress } from "../address";

type Asked = NonNullable<operations["list_summaries_v1_summaries_get"]["parameters"]["query"]>;
export type Filters = Pick<Asked, "filter" | "hidden">;

/** The address without any filter. */
export const NO_FILTERS = {
  q: undefined,
  find: undefined,
  filter: undefined,
  hidden: undefined,
  row: undefined,
} satisfies Changed;

/** The filters of an address, as the API has them. */
export function filtersOf({ q, filter, hidden }: ThreadsAddress): Filters {
  const words = q === undefined ? "" : wordsOf(q);
  const both = words === "" ? filter : filter === undefined ? words : `${words} (${filter})`;
  return prune({ filter: both, hidden });
}

/** The change of an address to a filter. */
export function filterChange(filter: string): Changed {
  return { filter: filter === "" ? undefined : filter, row: undefined };
}

/** A text as words that must all be there, whatever filters mean by them. */
export function wordsOf(text: string): string {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(inQuotes)
    .join(" ");
}
