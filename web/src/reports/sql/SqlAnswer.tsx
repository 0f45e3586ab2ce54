import { getRouteApi, Link } from "@tanstack/react-router";
import { memo, useState } from "react";
import type { Json } from "../../api/exact";
import { Dialog } from "../../parts/Dialog";
import { count, countOf } from "../../parts/format";
import { DownloadButton } from "../../parts/DownloadButton";
import { Tabs } from "../../parts/Tabs";
import { ChartPicture } from "../chart/ChartPicture";
import { DataTable } from "../../parts/tables/DataTable";
import { cellText } from "../figures";
import { Pick } from "../chart/Pick";
import { pictureOf } from "../chart/picture";
import { type Answer, answerCsv, isFigure, isTime } from "./sql";
import styles from "./sql.module.css";

const route = getRouteApi("/sql");
const TABS = [
  { id: "table", name: "Table" },
  { id: "chart", name: "Chart" },
] as const;

interface SqlAnswerProps {
  readonly sql: string;
  readonly answer: Answer;
  /** Whether the statement in the editor has changed since. */
  readonly isOld: boolean;
}

/** The rows of an answer, as a table or drawn. */
export const SqlAnswer = memo(function SqlAnswer({ sql, answer, isOld }: SqlAnswerProps) {
  const { chart } = route.useSearch();
  const navigate = route.useNavigate();
  const { rows, truncated, asOf } = answer;
  const positions = Object.values(asOf);
  return (
    <div className={styles["answer"]}>
      <div className={styles["tools"]}>
        <span role="status">
          {countOf(rows.length, "row")}
          {truncated && " shown of more: CSV has up to 100,000"}
        </span>
        {positions.length > 0 && (
          <small
            title={Object.entries(asOf)
              .map(([name, at]) => `${name} ${at}`)
              .join("\n")}
          >
            as of position {count(Math.min(...positions))}
          </small>
        )}
        {isOld && <small>of the statement as it was run</small>}
        <DownloadButton
          name="answer.csv"
          title="Values are exact: a spreadsheet may compute a text that begins with = + - or @"
          content={() => answerCsv(sql)}
        >
          Save CSV
        </DownloadButton>
      </div>
      <Tabs
        label="Answer"
        tabs={TABS}
        chosen={chart === true ? "chart" : "table"}
        onChoose={(tab) => {
          void navigate({
            search: (before) =>
              ({ ...before, chart: tab === "chart" ? true : undefined }) as object,
            state: (before) => before,
            replace: true,
          });
        }}
      >
        {chart === true ? <Drawn answer={answer} /> : <Rows answer={answer} />}
      </Tabs>
    </div>
  );
});

function Rows({ answer: { columns, rows } }: { answer: Answer }) {
  const [whole, setWhole] = useState<number | null>(null);
  const version = columns.findIndex(({ name }) => /^(first_)?version$/.test(name));
  const wholeRow = whole === null ? undefined : rows[whole];
  return (
    <>
      <DataTable
        label="Answer"
        columns={[
          { heading: "row", isFigure: true, width: 56 },
          ...columns.map(({ name, type }) => ({
            heading: name,
            unit: type.replace("timestamp with time zone", "timestamptz"),
            comment: type,
            isFigure: isFigure(type),
            width: isFigure(type) ? 112 : 180,
          })),
        ]}
        items={rows}
        cells={(row, index) => [
          <button
            type="button"
            className="quiet"
            aria-label={`Row ${index + 1} whole`}
            onClick={() => {
              setWhole(index);
            }}
          >
            {count(index + 1)}
          </button>,
          ...columns.map(({ name }, column) => (
            <Value name={name} value={row[column]} version={row[version]} />
          )),
        ]}
      />
      {wholeRow !== undefined && whole !== null && (
        <Dialog
          title={`Row ${whole + 1}`}
          onClose={() => {
            setWhole(null);
          }}
        >
          <dl className={styles["whole"]}>
            {columns.map(({ name }, index) => (
              <div key={`${name} ${index}`}>
                <dt>{name}</dt>
                <dd>
                  <pre>{cellText(wholeRow[index] ?? null)}</pre>
                </dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  );
}

interface ValueProps {
  /** The column's name. */
  readonly name: string;
  readonly value: Json | undefined;
  /** The version that the row names, if it does. */
  readonly version: Json | undefined;
}

function Value({ name, value, version }: ValueProps) {
  if (value === undefined) return null;
  const text = cellText(value);
  if (name !== "thread_id" || typeof value !== "string") {
    return <span title={text.slice(0, 500)}>{text.slice(0, 300)}</span>;
  }
  return (
    <Link
      to="/threads/$threadId"
      params={{ threadId: value }}
      search={typeof version === "number" ? { at: version } : {}}
    >
      {text}
    </Link>
  );
}

function Drawn({ answer: { columns, rows } }: { answer: Answer }) {
  const figures = columns.filter(({ type }) => isFigure(type)).map(({ name }) => name);
  const time = columns.find(({ type }) => isTime(type))?.name;
  const named = time ?? columns.find(({ type }) => !isFigure(type))?.name;
  const [picked, setPicked] = useState<readonly string[]>([]);
  const chosen = picked.filter((name) => figures.includes(name));
  const drawn = chosen.length > 0 ? chosen : figures.slice(0, 1);
  const places = new Map(columns.map(({ name }, index) => [name, index]));
  const picture = pictureOf({
    length: rows.length,
    by: named === undefined ? [] : [named],
    time,
    columns: drawn,
    value: (row, column) => rows[row]?.[places.get(column) ?? -1],
  });
  if (figures.length === 0) return <p>No column is a number.</p>;
  return (
    <div className={styles["drawn"]}>
      <Pick
        names={figures.map((name) => ({ name, heading: name }))}
        chosen={drawn}
        onPick={(name) => {
          setPicked(
            drawn.includes(name) ? drawn.filter((other) => other !== name) : [...drawn, name],
          );
        }}
      />
      <ChartPicture picture={picture} label={drawn.join(", ")} axis={axis} />
    </div>
  );
}

function axis(value: number): string {
  return value.toLocaleString("en");
}
