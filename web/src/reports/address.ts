import type { operations } from "../api/schema";
import { flagIn, kept, keysOf, oneIn, type Search, textIn, textsIn } from "../app/address";

type Clock = NonNullable<
  NonNullable<operations["read_report_v1_analytics__name__get"]["parameters"]["query"]>["clock"]
>;
/** By which clock rows fall into days, and whose it is. */
export const CLOCKS: Readonly<Record<Clock, string>> = {
  recorded: "recorded in the log",
  sent: "sent by the agent",
};

/** The filters of a report, as the API names them, and what of it is drawn. */
export interface ReportAddress {
  /** Dates or times; `to` is exclusive. */
  from?: string;
  to?: string;
  /** What rows are about; default as the catalogue says. */
  by?: string[];
  /** Filters: `tool=refund`, `metadata.team=support`; several of one name are alternatives. */
  only?: string[];
  clock?: Clock;
  /** Column to sort by, a minus before it for the largest first. */
  order?: string;
  /** Columns that are drawn, all of one unit; default the first figure. */
  draw?: string[];
}

export function reportAddress(search: Search): ReportAddress {
  return kept({
    from: textIn(search["from"]),
    to: textIn(search["to"]),
    by: textsIn(search["by"]),
    only: textsIn(search["only"]),
    clock: oneIn(keysOf(CLOCKS), search["clock"]),
    order: textIn(search["order"]),
    draw: textsIn(search["draw"]),
  });
}

/** `tool=refund` as its name and its value. */
export function filterOf(only: string): [name: string, value: string] {
  const at = only.indexOf("=");
  return at < 0 ? [only, ""] : [only.slice(0, at), only.slice(at + 1)];
}

/** A longer statement is not kept in the address: browsers and proxies cut it. */
export const LONGEST_SQL = 6000;

export interface SqlAddress {
  sql?: string;
  /** Whether the answer is drawn. */
  chart?: true;
}

export function sqlAddress(search: Search): SqlAddress {
  return kept({ sql: textIn(search["sql"]), chart: flagIn(search["chart"]) });
}
