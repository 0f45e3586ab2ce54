import type { MatrixColumn } from "../queries";
import { nameOfColumn } from "./cells";
import styles from "./matrix.module.css";

interface MatrixHeadProps {
  readonly columns: readonly MatrixColumn[];
  readonly chosen: number;
  readonly onChoose: (column: number) => void;
}

/** The names of the columns, each over a bar that says how far failed and succeeded part there. */
export function MatrixHead({ columns, chosen, onChoose }: MatrixHeadProps) {
  return (
    <div role="row" aria-rowindex={1} className={styles["head"]}>
      <span role="columnheader" className={styles["corner"]}>
        Run
        <small>bars: where failed and succeeded part</small>
      </span>
      {columns.map((column, index) => (
        <span
          key={index}
          role="columnheader"
          aria-colindex={index + 2}
          aria-selected={index === chosen}
          className={styles["name"]}
          title={`${index + 1}. ${nameOfColumn(column)}`}
          onClick={() => {
            onChoose(index);
          }}
        >
          <span>{nameOfColumn(column)}</span>
          {column.separation !== null && (
            <meter min={0} max={1} value={column.separation} aria-label="parting" />
          )}
        </span>
      ))}
    </div>
  );
}
