import { flagIn, kept, oneIn, type Search, textIn, textsIn, wholeIn } from "../app/address";

/** What is compared: threads by their ids, or all runs of each task by a metadata key. */
export interface CompareAddress {
  /** Threads, a column each: ids, or `ID@VERSION` for how one was. */
  thread?: string[];
  /** Metadata key that names the task, as `task`; `thread` is empty then. */
  by?: string;
  /** Metadata of failed runs, as `reward=0`; without it the exit decides. */
  failed?: string[];
  /** Only tasks whose runs ended differently. */
  mixed?: true;
  /** What is aligned; default all items. */
  steps?: "calls";
  /** Row of the alignment in sight. */
  row?: number;
}

export function compareAddress(search: Search): CompareAddress {
  return kept({
    thread: textsIn(search["thread"]),
    by: textIn(search["by"]),
    failed: textsIn(search["failed"]),
    mixed: flagIn(search["mixed"]),
    steps: oneIn(["calls"], search["steps"]),
    row: wholeIn(search["row"]),
  });
}
