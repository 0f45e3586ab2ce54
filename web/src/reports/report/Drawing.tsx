import { ChartPicture } from "../chart/ChartPicture";
import { Pick } from "../chart/Pick";
import { pictureOf } from "../chart/picture";
import { figure, heading, words } from "../figures";
import type { ReportAnswer, ReportColumn } from "../queries";
import styles from "../reports.module.css";
import { useReportAddress } from "./useReportAddress";

const TIMES = ["hour", "day", "week", "month"];

interface DrawingProps {
  readonly title: string;
  readonly answer: ReportAnswer;
  /** The columns with figures. */
  readonly figures: readonly ReportColumn[];
}

/** The chart of a report: the columns that the reader picked, all of one unit. */
export function Drawing({ title, answer: { rows, by }, figures }: DrawingProps) {
  const { address, change } = useReportAddress();
  const chosen = figures.filter(({ name }) => address.draw?.includes(name));
  const drawn = chosen.length > 0 ? chosen : figures.slice(0, 1);
  const unit = drawn[0];
  const picture = pictureOf({
    length: rows.length,
    by: by.length > 0 ? by : ["tool", "thread"].filter((name) => name in (rows[0] ?? {})),
    time: by.find((name) => TIMES.includes(name)),
    columns: drawn.map(({ name }) => name),
    named: words,
    value: (row, column) => rows[row]?.[column],
  });
  const toggle = (column: ReportColumn): void => {
    const same = drawn.filter((other) => other.unit === column.unit);
    const next = same.includes(column)
      ? same.filter((other) => other !== column)
      : [...same, column];
    const draw = next.length === 0 ? undefined : next.map(({ name }) => name);
    change({ draw }, { replace: true });
  };
  const label = drawn.map(({ name }) => words(name)).join(", ");
  const hasFigures = picture.series.some(({ values }) => values.some((value) => value !== null));
  return (
    <div className={styles["drawing"]}>
      <Pick
        names={figures.map(({ name, comment }) => ({ name, comment, heading: heading(name) }))}
        chosen={drawn.map(({ name }) => name)}
        onPick={(name) => {
          const column = figures.find((known) => known.name === name);
          if (column !== undefined) toggle(column);
        }}
      />
      {hasFigures ? (
        <ChartPicture
          picture={picture}
          label={`${title}: ${label}`}
          axis={(value) => (unit === undefined ? String(value) : figure(value, unit))}
        />
      ) : (
        <p className={styles["standing"]}>No row has a figure for {label}.</p>
      )}
    </div>
  );
}
