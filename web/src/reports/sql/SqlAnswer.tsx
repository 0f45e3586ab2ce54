import { getRouteApi, Link } from "@tanstack/react-router";
import { memo, useState } from "react";
import { Dialog } from "../../parts/Dialog";
import { count, counted } from "../../parts/format";
import { Tabs } from "../../parts/Tabs";
import { ChartPicture } from "../chart/ChartPicture";
import { DataTable } from "../DataTable";
import { cellText } from "../figures";
import { Pick } from "../chart/Pick";
import { pictureOf } from "../chart/picture";
import { Saving } from "../Saving";
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
  /** Whether the statement in the editor is another by now. */
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
          {counted(rows.length, "row")}
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
        <Saving
          name="answer.csv"
          title="Values are exact: a spreadsheet may compute a text that begins with = + - or @"
          ask={() => answerCsv(sql)}
        />
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
  const shown = whole === null ? undefined : rows[whole];
  return (
    <>
      <DataTable
        label="Answer"
        columns={[
          { key: "", heading: "row", unit: "", comment: "", isFigure: true, width: 56 },
          ...columns.map(({ name, type }, index) => ({
            key: `${name} ${index}`,
            heading: name,
            unit: type.replace("timestamp with time zone", "timestamptz"),
            comment: type,
            isFigure: isFigure(type),
            width: isFigure(type) ? 112 : 180,
          })),
        ]}
        length={rows.length}
        cell={(index, column) => {
          const row = rows[index] ?? [];
          const value = row[column - 1];
          if (column === 0) {
            return (
              <button
                type="button"
                className="quiet"
                aria-label={`Row ${index + 1} whole`}
                onClick={() => {
                  setWhole(index);
                }}
              >
                {count(index + 1)}
              </button>
            );
          }
          if (value === undefined) return null;
          const text = cellText(value);
          if (columns[column - 1]?.name === "thread_id" && typeof value === "string") {
            const at = row[version];
            return (
              <Link
                to="/threads/$threadId"
                params={{ threadId: value }}
                search={typeof at === "number" ? { at } : {}}
              >
                {text}
              </Link>
            );
          }
          return <span title={text.slice(0, 500)}>{text.slice(0, 300)}</span>;
        }}
      />
      {shown !== undefined && whole !== null && (
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
                  <pre>{cellText(shown[index] ?? null)}</pre>
                </dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
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
        names={figures.map((name) => ({ name }))}
        chosen={drawn}
        onPick={(name) => {
          setPicked(
            drawn.includes(name) ? drawn.filter((each) => each !== name) : [...drawn, name],
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
