import type { Change } from "../address";
import { type Column, direction, nextSort } from "./columns";
import styles from "./ThreadGrid.module.css";

interface GridHeadProps {
  readonly columns: readonly Column[];
  readonly sort: string;
  readonly change: Change;
  /** Whether rows are cards: then it is for screen readers alone. */
  readonly isNarrow: boolean;
}

/** Names of the columns: a press sorts by one, another turns the order. */
export function GridHead({ columns, sort, change, isNarrow }: GridHeadProps) {
  return (
    <div role="rowgroup" className={isNarrow ? "hidden" : styles["head"]}>
      <div role="row" aria-rowindex={1} className={styles["titles"]}>
        {isNarrow ? (
          <div role="columnheader">Thread</div>
        ) : (
          <>
            <div role="columnheader">
              <span className="hidden">Tick</span>
            </div>
            {columns.map((column) => (
              <Title key={column.id} {...{ column, sort, change }} />
            ))}
          </>
        )}
      </div>
    </div>
  );
}

interface TitleProps extends Pick<GridHeadProps, "sort" | "change"> {
  readonly column: Column;
}

function Title({ column, sort, change }: TitleProps) {
  const { name, title, isNumber = false } = column;
  const way = direction(column, sort);
  return (
    <div
      role="columnheader"
      aria-sort={column.sort === null ? undefined : (way ?? "none")}
      title={title}
      className={isNumber ? styles["number"] : undefined}
    >
      {column.sort === null ? (
        name
      ) : (
        <button
          type="button"
          onClick={() => {
            change({ sort: nextSort(column, sort), row: undefined });
          }}
        >
          {name}
          {way !== null && <span aria-hidden="true">{way === "ascending" ? " ↑" : " ↓"}</span>}
        </button>
      )}
    </div>
  );
}
