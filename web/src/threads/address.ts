import type { Change as ChangeOf, PartOf } from "../app/change";
import { flagIn, kept, keysOf, oneIn, type Search, textIn, textsIn, wholeIn } from "../app/address";
import { OUTCOME_WORDS, type Summary } from "./standing";

const STATUS_WORDS: Readonly<Record<Summary["status"], string>> = {
  open: "open",
  exited: "exited",
  closed: "closed",
};
export const STATUSES = keysOf(STATUS_WORDS);
export const OUTCOMES = keysOf(OUTCOME_WORDS);

/** Filters, order and columns of the list of threads; all of it stands in the URL. */
export interface ThreadsAddress {
  /** Text in goals and ids. */
  q?: string;
  /** Text in contents: the list becomes a list of hits. */
  find?: string;
  status?: Summary["status"];
  outcome?: NonNullable<Summary["outcome"]>;
  tool?: string;
  /** Filters on metadata: `team=support`. */
  meta?: string[];
  /** Terms, as the service reads them: `failed tool:book* cost>0.5`. */
  filter?: string;
  anomalies?: true;
  /** Whose verdict is failed. */
  failed?: true;
  /** With a failed call or a runtime error. */
  errors?: true;
  /** With calls that repeat earlier ones. */
  loops?: true;
  pending?: true;
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
  return kept({
    q: textIn(search["q"]),
    find: textIn(search["find"]),
    status: oneIn(STATUSES, search["status"]),
    outcome: oneIn(OUTCOMES, search["outcome"]),
    tool: textIn(search["tool"]),
    meta: textsIn(search["meta"]),
    filter: textIn(search["filter"]),
    errors: flagIn(search["errors"]),
    loops: flagIn(search["loops"]),
    anomalies: flagIn(search["anomalies"]),
    failed: flagIn(search["failed"]),
    pending: flagIn(search["pending"]),
    hidden: flagIn(search["hidden"]),
    sort: textIn(search["sort"]),
    columns: textsIn(search["columns"]),
    ticked: textsIn(search["ticked"]),
    row: wholeIn(search["row"], 1),
  });
}
