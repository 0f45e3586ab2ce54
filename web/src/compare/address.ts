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
  /** Whether runs are shown as a matrix: those of `thread`, else those of `where`, else all. */
  matrix?: true;
  /** Metadata of the runs of a matrix, as `task=46`. */
  where?: string[];
  /** Chosen run and column of the matrix, from 0; default where failed and succeeded part most. */
  run?: string;
  column?: number;
  /** What is aligned; default all items, in a matrix calls. */
  steps?: "calls" | "all";
  /** Row of the alignment in sight. */
  row?: number;
}

export function compareAddress(search: Search): CompareAddress {
  return kept({
    thread: textsIn(search["thread"]),
    by: textIn(search["by"]),
    failed: textsIn(search["failed"]),
    mixed: flagIn(search["mixed"]),
    matrix: flagIn(search["matrix"]),
    where: textsIn(search["where"]),
    run: textIn(search["run"]),
    column: wholeIn(search["column"]),
    steps: oneIn(["calls", "all"], search["steps"]),
    row: wholeIn(search["row"]),
  });
}
