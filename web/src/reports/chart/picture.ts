import { visible } from "../../parts/visible/visible";

/** The data of a chart: a value per label and series, null where there is none. */
export interface Picture {
  readonly kind: "bar" | "line";
  readonly labels: readonly string[];
  readonly series: readonly {
    readonly name: string;
    /** The column, where it is one: its colour goes by what it counts. */
    readonly column?: string;
    readonly values: readonly (number | null)[];
  }[];
  /** Labels or series that are left out. */
  readonly isCut: boolean;
}

/** A table as the source of a chart. */
export interface Drawable {
  readonly length: number;
  /** Columns that name a row; a time comes along the axis, and the others make a series each. */
  readonly by: readonly string[];
  readonly time: string | undefined;
  readonly columns: readonly string[];
  /** What readers call a column, where that is not its name. */
  readonly named?: (column: string) => string;
  readonly value: (row: number, column: string) => unknown;
}

const MOST_LABELS = 60;
const MOST_SERIES = 12;

/**
 * Returns the picture of a table's columns.
 *
 * With a time among the names, and others beside it, each of the others is a series of the first
 * column. Else each column is a series.
 */
export function pictureOf(table: Drawable): Picture {
  const others = table.by.filter((name) => name !== table.time);
  if (table.time === undefined || others.length === 0) return byColumns(table);
  const [column] = table.columns;
  if (column === undefined) return byColumns(table);
  const rows = rowsOf(table);
  const time = table.time;
  const labels = [...new Set(rows.map((row) => label(table.value(row, time))))];
  const groups = Map.groupBy(rows, (row) => names(table, row, others));
  const series = [...groups].map(([name, members]) => {
    const values = new Map(
      members.map((row) => [label(table.value(row, time)), number(table.value(row, column))]),
    );
    return { name, values: labels.map((label) => values.get(label) ?? null) };
  });
  return cut({ kind: labels.length === 1 ? "bar" : "line", labels, series, isCut: false });
}

function byColumns(table: Drawable): Picture {
  const rows = rowsOf(table);
  const labels = rows.map((row) => names(table, row, table.by));
  const series = table.columns.map((name) => ({
    name: table.named?.(name) ?? name.replaceAll("_", " "),
    column: name,
    values: rows.map((row) => number(table.value(row, name))),
  }));
  const kind = table.time === undefined || rows.length === 1 ? "bar" : "line";
  return cut({ kind, labels, series, isCut: false });
}

/** A line keeps its latest labels, bars their first. A canvas draws texts as they are: visible ones. */
function cut({ kind, labels, series }: Picture): Picture {
  const isCut = labels.length > MOST_LABELS * (kind === "line" ? 20 : 1);
  const range = kind === "line" ? [-MOST_LABELS * 20, undefined] : [0, MOST_LABELS];
  const first = series.slice(0, MOST_SERIES);
  return {
    kind,
    labels: labels.slice(...range).map(visible),
    series: first.map(({ name, values, ...column }) => ({
      name: visible(name),
      ...column,
      values: values.slice(...range),
    })),
    isCut: isCut || series.length > MOST_SERIES,
  };
}

function rowsOf({ length }: Drawable): number[] {
  return Array.from({ length }, (_, row) => row);
}

function names(table: Drawable, row: number, by: readonly string[]): string {
  return by.length === 0
    ? String(row + 1)
    : by.map((name) => label(table.value(row, name))).join(" · ");
}

function label(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function number(value: unknown): number | null {
  if (value === null || value === undefined || typeof value === "boolean") return null;
  const numeric = Number(value);
  return Number.isFinite(numeric) ? numeric : null;
}
