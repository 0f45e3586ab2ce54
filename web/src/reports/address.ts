import type { operations } from "../api/schema";
import { flagIn, keysOf, oneIn, prune, type Search, textIn, textsIn } from "../app/address";
import { quote } from "../parts/text/terms";

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
  /** Which rows count: terms that the service reads, all of which must hold. */
  only?: string[];
  clock?: Clock;
  /** Column to sort by, a minus before it for the largest first. */
  order?: string;
  /** Columns that are drawn, all of one unit; default the first figure. */
  draw?: string[];
}

export function reportAddress(search: Search): ReportAddress {
  const only = textsIn(search["only"]);
  return prune({
    from: textIn(search["from"]),
    to: textIn(search["to"]),
    by: textsIn(search["by"]),
    only: only && termsOf(only),
    clock: oneIn(keysOf(CLOCKS), search["clock"]),
    order: textIn(search["order"]),
    draw: textsIn(search["draw"]),
  });
}

/** Filters as terms. Addresses of 0.25 have `tool=refund`, several of one name as alternatives. */
function termsOf(only: readonly string[]): string[] {
  const byName = Map.groupBy(only, (text) => OLD.exec(text)?.[1] ?? text);
  return [...byName].map(([name, texts]) =>
    texts
      .map((text) => OLD.exec(text)?.[2])
      .map((value) => (value === undefined ? name : `${name}:${quote(value)}`))
      .join(" or "),
  );
}

const OLD = /^((?:metadata\.)?[\w.-]+)=(.*)$/s;

/** A longer statement is not kept in the address: browsers and proxies cut it. */
export const LONGEST_SQL = 6000;

export interface SqlAddress {
  sql?: string;
  /** Whether the answer is drawn. */
  chart?: true;
}

export function sqlAddress(search: Search): SqlAddress {
  return prune({ sql: textIn(search["sql"]), chart: flagIn(search["chart"]) });
}
