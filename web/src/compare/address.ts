import { flagIn, oneIn, prune, type Search, textIn, textsIn, wholeIn } from "../app/address";

/** What is compared: threads by their ids, or all runs of each task by a metadata key. */
export interface CompareAddress {
  /** Threads, a column each: ids, or `ID@VERSION` for how one was. */
  thread?: string[];
  /** Metadata key that names the task, as `task`; `thread` is empty then. */
  by?: string;
  /** Filter of failed runs, as `metadata.reward:0`; without it their verdicts decide. */
  failed?: string;
  /** Only tasks whose runs ended differently. */
  mixed?: true;
  /** Whether runs are shown as a matrix: those of `thread`, else those of `filter`. */
  matrix?: true;
  /** Filter of the runs of a matrix, as `metadata.task:46`. */
  filter?: string;
  /** Chosen run and column of the matrix, from 0; default where failed and succeeded part most. */
  run?: string;
  column?: number;
  /** What is aligned; default all items, in a matrix calls. */
  steps?: "calls" | "all";
  /** Row of the alignment in sight. */
  row?: number;
}

export function compareAddress(search: Search): CompareAddress {
  return prune({
    thread: textsIn(search["thread"]),
    by: textIn(search["by"]),
    failed: textIn(search["failed"]),
    mixed: flagIn(search["mixed"]),
    matrix: flagIn(search["matrix"]),
    filter: textIn(search["filter"]),
    run: textIn(search["run"]),
    column: wholeIn(search["column"]),
    steps: oneIn(["calls", "all"], search["steps"]),
    row: wholeIn(search["row"]),
  });
}
