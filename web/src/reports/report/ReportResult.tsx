import { Link } from "@tanstack/react-router";
import { DataTable } from "../../parts/tables/DataTable";
import { DownloadButton } from "../../parts/DownloadButton";
import { count, countOf } from "../../parts/format";
import { figureIn, heading, unitText } from "../figures";
import { type ReportAnswer, type ReportColumn, type ReportRow, reportCsv } from "../queries";
import styles from "../reports.module.css";
import { shownOf, widthOf } from "./columns";
import { Drawing } from "./Drawing";
import { RowLink } from "./RowLink";
import { targetOf } from "./target";
import { useReportAddress } from "./useReportAddress";

/** The links of the rows. */
const LEADING = { heading: "Open", width: 84 };
const THREADS = ["thread", "worst_thread", "parent"];

interface ReportResultProps {
  readonly title: string;
  readonly answer: ReportAnswer;
  /** How many positions of the log the answer has not counted. */
  readonly behind: number;
}

/** A report as it was answered: what is drawn of it, its rows, and how old they are. */
export function ReportResult({ title, answer, behind }: ReportResultProps) {
  const { address, change } = useReportAddress();
  const { rows, report } = answer;
  if (rows.length === 0) return <p>Nothing to count: no row matches.</p>;
  const columns = shownOf(answer.columns);
  return (
    <>
      <Drawing
        title={title}
        answer={answer}
        figures={columns.filter(({ unit }) => unit !== null)}
      />
      <div className={styles["standing"]}>
        <span>
          {countOf(rows.length, "row")}
          {answer.truncated && " of more: narrow the report, or save CSV for up to 10,000"}
        </span>
        {answer.untimed > 0 && <span>{count(answer.untimed)} without a time, on no day</span>}
        <span>
          as of position {count(answer.asOf)},{" "}
          {behind === 0 ? "level with the log" : `${countOf(behind, "position")} behind the log`}
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
          change({ order }, { replace: true });
        }}
        cells={(row) => [
          <RowLink target={targetOf(answer, row, address.only)} />,
          ...columns.map((column) => <Value row={row} column={column} />),
        ]}
      />
    </>
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
