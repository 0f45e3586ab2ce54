import type { Row } from "./alignment";

/** A run of equal rows folded into one line; `row` is its first. */
export interface FoldLine {
  readonly kind: "fold";
  readonly row: number;
  readonly steps: number;
  readonly isOpen: boolean;
}
/** A line of the screen: a row by its number, or a folded run. */
export type Line = FoldLine | { readonly kind: "row"; readonly row: number };

/** First rows of the runs that are unfolded, or all of them. */
export type OpenFolds = ReadonlySet<number> | "all";

/** Runs of no more equal rows than this are shown as they are. */
const FEW = 3;

/**
 * Folds runs of equal rows, but for the last one before a difference.
 *
 * `open` says which runs are shown all the same, by the number of their first row.
 */
export function fold(rows: readonly Row[], open: (first: number) => boolean): Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < rows.length;) {
    let to = from;
    while (rows[to]?.isEqual === true) to += 1;
    if (to === from) {
      lines.push({ kind: "row", row: from });
      from += 1;
      continue;
    }
    const steps = rows.slice(from, to).reduce((sum, { count }) => sum + count, 0);
    if (steps > FEW) {
      const isOpen = open(from);
      const end = to === rows.length ? to : to - 1;
      const hidden = rows.slice(from, end).reduce((sum, { count }) => sum + count, 0);
      lines.push({ kind: "fold", row: from, steps: hidden, isOpen });
      if (!isOpen) from = end;
    }
    for (; from < to; from += 1) lines.push({ kind: "row", row: from });
  }
  return lines;
}

/** The row of the next difference after a row, or of the one before it. */
export function difference(rows: readonly Row[], from: number, by: 1 | -1): number | undefined {
  for (let row = from + by; row >= 0 && row < rows.length; row += by) {
    if (rows[row]?.isEqual === false) return row;
  }
  return undefined;
}

/** Unfolds the run that begins at a row, or folds it. */
export function toggleFold(
  openFolds: OpenFolds,
  row: number,
  rows: readonly Pick<Row, "isEqual">[],
): OpenFolds {
  const before = openFolds === "all" ? runsOf(rows) : openFolds;
  return before.symmetricDifference(new Set([row]));
}

/** First rows of all runs of equal rows. */
function runsOf(rows: readonly Pick<Row, "isEqual">[]): ReadonlySet<number> {
  return new Set(
    rows.flatMap(({ isEqual }, row) => (isEqual && rows[row - 1]?.isEqual !== true ? [row] : [])),
  );
}
