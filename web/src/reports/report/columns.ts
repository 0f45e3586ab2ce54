import type { ReportColumn } from "../queries";

/** Columns that the row's link replaces: an API address and places in the log. */
const HIDDEN = ["link", "position", "version", "answered_version"];
const WIDTHS: Record<string, number> = { error_class: 230, error_message: 230 };

/** The width of a column in pixels: that of its heading, or of what it usually says. */
export function widthOf({ name, unit }: ReportColumn): number {
  if (unit !== null) return Math.max(84, 53 + 7 * name.length);
  return WIDTHS[name] ?? (name.endsWith("_at") ? 196 : 195);
}

/** The columns that readers see, each once. */
export function shownOf(columns: readonly ReportColumn[]): ReportColumn[] {
  const first = new Map(columns.toReversed().map((column) => [column.name, column]));
  return columns.filter(
    (column) => !HIDDEN.includes(column.name) && first.get(column.name) === column,
  );
}
