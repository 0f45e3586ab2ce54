import { nameOf } from "../../parts/kinds";
import type { MatrixColumn, MatrixRow, RunMatrix } from "../queries";

/** A line of the matrix: a run, or the heading of the runs of one verdict. */
export type Line =
  | { readonly verdict: MatrixRow["verdict"]; readonly runs: number }
  | { readonly verdict?: undefined; readonly row: MatrixRow };

/** The lines, in the order of the service: the runs of a verdict stand together. */
export function linesOf({ rows }: Pick<RunMatrix, "rows">): Line[] {
  const groups = Map.groupBy(rows, ({ verdict }) => verdict);
  return [...groups].flatMap(([verdict, members]): Line[] => [
    { verdict, runs: members.length },
    ...members.map((row) => ({ row })),
  ]);
}

/** A letter for each way of a column, `A` that of most runs; a dot for those beyond `Z`. */
export function letterOf(variant: number): string {
  return variant < 26 ? String.fromCharCode(65 + variant) : "·";
}

const MOST_TOOLS = 3;

/** What the steps of a column are: the first tools called, else the name of the type. */
export function nameOfColumn({ type, tools }: Pick<MatrixColumn, "type" | "tools">): string {
  const more = tools.length - MOST_TOOLS;
  const names = tools.slice(0, MOST_TOOLS).join(", ");
  return names === "" ? nameOf(type) : `${names}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The column where the failed and the succeeded part most, the first of equal ones; else 0. */
export function widestParting(columns: readonly MatrixColumn[]): number {
  const most = Math.max(0, ...columns.map(({ separation }) => separation ?? 0));
  return Math.max(
    0,
    columns.findIndex(({ separation }) => separation === most),
  );
}

/** A place in the matrix: a line and a column. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The place that a key leads to; null for keys that lead nowhere. Headings are passed over. */
export function nextPlace(
  key: string,
  { line, column }: Place,
  lines: readonly Line[],
  columns: number,
): Place | null {
  const across = (to: number): Place => ({ line, column: Math.max(0, Math.min(to, columns - 1)) });
  const isRun = (at: number): boolean => lines[at] !== undefined && lines[at].verdict === undefined;
  const down = (by: 1 | -1): Place => {
    const next = isRun(line + by) ? line + by : line + 2 * by;
    return isRun(next) ? { line: next, column } : { line, column };
  };
  switch (key) {
    case "ArrowLeft":
      return across(column - 1);
    case "ArrowRight":
      return across(column + 1);
    case "ArrowUp":
      return down(-1);
    case "ArrowDown":
      return down(1);
    case "Home":
      return across(0);
    case "End":
      return across(columns - 1);
    default:
      return null;
  }
}
