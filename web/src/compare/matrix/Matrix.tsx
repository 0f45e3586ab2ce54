import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Failure } from "../../parts/Failure";
import { countOf } from "../../parts/format";
import { matrixQuery, type RunMatrix } from "../queries";
import { ColumnWays } from "./ColumnWays";
import { linesOf, widestParting } from "./cells";
import { MatrixGrid } from "./MatrixGrid";
import styles from "./matrix.module.css";

const route = getRouteApi("/compare");

/** Many runs at once: a row a run, a column a step of their alignment. */
export function Matrix() {
  const { thread = [], filter = "", failed = "", steps = "calls" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(matrixQuery({ thread, filter, failed, steps }));
  const of = thread.length > 0 ? countOf(thread.length, "thread") : filter || "all runs";
  return (
    <main className={`screen ${styles["matrix"] ?? ""}`}>
      <header className={styles["tools"]}>
        <h1>Matrix of {of}</h1>
        {data !== undefined && <Summary matrix={data} />}
        <button
          type="button"
          aria-pressed={steps === "calls"}
          title="Align calls of tools only: where people speak freely, words differ early"
          onClick={() => {
            const next = steps === "calls" ? ("all" as const) : undefined;
            void navigate({ search: (before) => ({ ...before, steps: next }) as object });
          }}
        >
          Calls only
        </button>
        <Link to="/compare" search={{}}>
          Choose again
        </Link>
      </header>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <p className="loading">Comparing all runs…</p>}
      {data?.rows.length === 0 && <p>No run matches: choose others.</p>}
      {data !== undefined && data.rows.length > 0 && data.columns.length === 0 && (
        <p>None of these runs has such a step.</p>
      )}
      {data !== undefined && data.columns.length > 0 && <Drawn matrix={data} />}
    </main>
  );
}

function Summary({ matrix: { rows, columns, columnCount, cut } }: { matrix: RunMatrix }) {
  const isLong = rows.some(({ steps, cells }) => steps > cells.length);
  return (
    <p>
      {countOf(rows.length, "run")} × {countOf(columns.length, "step")}
      {cut && "; older runs are left out"}
      {(isLong || columnCount > columns.length) && "; later steps are left out"}. A letter is what
      was said in a step, <b>A</b> by most runs; red failed, violet is told to have, amber is
      suspected.
    </p>
  );
}

/** The grid, and what was done in the chosen column. */
function Drawn({ matrix }: { matrix: RunMatrix }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const lines = linesOf(matrix);
  const last = matrix.columns.length - 1;
  const column = Math.min(search.column ?? widestParting(matrix.columns), last);
  const chosen = lines.findIndex((line) => "row" in line && line.row.threadId === search.run);
  const chosenColumn = matrix.columns[column];
  return (
    <>
      <MatrixGrid
        columns={matrix.columns}
        lines={lines}
        at={{ line: Math.max(1, chosen), column }}
        onChoose={(run, to) => {
          void navigate({
            search: (before) => ({ ...before, run, column: to }) as object,
            replace: true,
          });
        }}
      />
      {chosenColumn !== undefined && <ColumnWays column={chosenColumn} number={column + 1} />}
    </>
  );
}
