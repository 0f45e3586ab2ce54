import type { Change as ChangeOf, PartOf } from "../app/change";
import { flagIn, prune, type Search, textIn, textsIn, wholeIn } from "../app/address";

/** Filters, order and columns of the list of threads; all of it stands in the URL. */
export interface ThreadsAddress {
  /** Text in goals and ids. */
  q?: string;
  /** Text in contents: the list becomes a list of hits. */
  find?: string;
  /** Terms, as the service reads them: `failed tool:book* cost>0.5`. */
  filter?: string;
  /** Whether hidden threads are in the list too. */
  hidden?: true;
  /** Key to sort by, a minus before it for the other way; default `-position`. */
  sort?: string;
  /** Columns to show, where others than the usual ones; `metadata.KEY` is one too. */
  columns?: string[];
  /** Ticked threads, to compare. */
  ticked?: string[];
  /** Selected row, from 1: where a reader who comes back finds the list. */
  row?: number;
}

export type Changed = PartOf<ThreadsAddress>;
export type Change = ChangeOf<ThreadsAddress>;

export function threadsAddress(search: Search): ThreadsAddress {
  return prune({
    q: textIn(search["q"]),
    find: textIn(search["find"]),
    filter: textIn(search["filter"]),
    hidden: flagIn(search["hidden"]),
    sort: textIn(search["sort"]),
    columns: textsIn(search["columns"]),
    ticked: textsIn(search["ticked"]),
    row: wholeIn(search["row"], 1),
  });
}
