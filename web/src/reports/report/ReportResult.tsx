import { getRouteApi, Link } from "@tanstack/react-router";
import { count, counted } from "../../parts/format";
import { ChartPicture } from "../chart/ChartPicture";
import { DownloadButton } from "../../parts/DownloadButton";
import { DataTable } from "../../parts/DataTable";
import { figure, figureIn, heading, unitText } from "../figures";
import { Pick } from "../chart/Pick";
import { pictureOf } from "../chart/picture";
import { type ReportAnswer, type ReportColumn, type ReportRow, reportCsv } from "../queries";
import { RowLink } from "./RowLink";
import styles from "../reports.module.css";
import { targetOf } from "./target";

const route = getRouteApi("/reports/$name");
const TIMES = ["hour", "day", "week", "month"];
/** Columns that the row's link replaces: an API address and places in the log. */
const HIDDEN = ["link", "position", "version", "answered_version"];
const THREADS = ["thread", "worst_thread", "parent"];

/** A report as it was answered: what is drawn of it, its rows, and how old they are. */
export function ReportResult({ answer, behind }: { answer: ReportAnswer; behind: number }) {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { rows, by, report } = answer;
  const columns = shownOf(answer.columns);
  const figures = columns.filter(({ unit }) => unit !== null);
  const drawn = figures.filter(({ name }) => address.draw?.includes(name));
  const chosen = drawn.length > 0 ? drawn : figures.slice(0, 1);
  const unit = chosen[0];
  const names = by.length > 0 ? by : ["tool", "thread"].filter((name) => name in (rows[0] ?? {}));
  const picture = pictureOf({
    length: rows.length,
    by: names,
    time: by.find((name) => TIMES.includes(name)),
    columns: chosen.map(({ name }) => name),
    value: (row, column) => rows[row]?.[column],
  });
  const axis = (value: number): string =>
    unit === undefined ? String(value) : figure(value, unit);
  const choose = (column: ReportColumn): void => {
    const same = chosen.filter((each) => each.unit === column.unit);
    const next = same.includes(column) ? same.filter((each) => each !== column) : [...same, column];
    const draw = next.length === 0 ? undefined : next.map(({ name }) => name);
    void navigate({ search: (before) => ({ ...before, draw }) as object, replace: true });
  };
  if (rows.length === 0) return <p>Nothing to count: no row matches.</p>;
  const label = chosen.map(({ name }) => heading(name)).join(", ");
  const hasFigures = picture.series.some(({ values }) => values.some((value) => value !== null));
  return (
    <>
      <div className={styles["drawing"]}>
        <Pick
          names={figures}
          chosen={chosen.map(({ name }) => name)}
          onPick={(name) => {
            const column = figures.find((each) => each.name === name);
            if (column !== undefined) choose(column);
          }}
        />
        {hasFigures ? (
          <ChartPicture picture={picture} label={`${report}, ${label}`} axis={axis} />
        ) : (
          <p className={styles["standing"]}>No row has a figure for {label}.</p>
        )}
      </div>
      <div className={styles["standing"]}>
        <span>
          {counted(rows.length, "row")}
          {answer.truncated && " of more: narrow the report, or save CSV for up to 10,000"}
        </span>
        <span>
          as of position {count(answer.asOf)},{" "}
          {behind === 0 ? "level with the log" : `${counted(behind, "position")} behind the log`}
        </span>
        <DownloadButton
          name={`${report}.csv`}
          title="Texts that a spreadsheet would compute get an apostrophe in front"
          content={() => reportCsv(report, address)}
        >
          Save CSV
        </DownloadButton>
      </div>
      <DataTable
        label={`Report ${report}`}
        columns={[
          LEADING,
          ...columns.map((column) => ({
            key: column.name,
            heading: heading(column.name),
            unit: unitText(column),
            comment: column.comment,
            isFigure: column.unit !== null,
            width: widthOf(column),
          })),
        ]}
        items={rows}
        order={address.order}
        onOrder={(order) => {
          void navigate({ search: (before) => ({ ...before, order }), replace: true });
        }}
        cells={(row) => [
          <RowLink target={targetOf(answer, row, address)} />,
          ...columns.map((column) => <Value row={row} column={column} />),
        ]}
      />
    </>
  );
}

/** The links of the rows. */
const LEADING = { heading: "open", width: 84 };
const WIDTHS: Record<string, number> = { error_class: 230, error_message: 230 };

function widthOf({ name, unit }: ReportColumn): number {
  if (unit !== null) return Math.max(84, 53 + 6 * name.length);
  return WIDTHS[name] ?? (name.endsWith("_at") ? 196 : 195);
}

function shownOf(columns: readonly ReportColumn[]): ReportColumn[] {
  const first = new Map(columns.toReversed().map((column) => [column.name, column]));
  return columns.filter(
    (column) => !HIDDEN.includes(column.name) && first.get(column.name) === column,
  );
}

function Value({ row, column }: { row: ReportRow; column: ReportColumn }) {
  const value = row[column.name];
  if (typeof value === "string" && THREADS.includes(column.name)) {
    const version = column.name === "thread" ? row["version"] : undefined;
    return (
      <Link
        to="/threads/$threadId"
        params={{ threadId: value }}
        search={typeof version === "number" ? { at: version } : {}}
      >
        {value}
      </Link>
    );
  }
  const text = figureIn(row, column);
  return <span title={text}>{text}</span>;
}
