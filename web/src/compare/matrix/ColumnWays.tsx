import { count, countOf } from "../../parts/format";
import type { MatrixColumn, Tally } from "../queries";
import { letterOf, nameOfColumn } from "./cells";
import styles from "./matrix.module.css";

/** What runs did in a column, how many, and how many of them failed and succeeded. */
export function ColumnWays({ column, number }: { column: MatrixColumn; number: number }) {
  const { variants, variantCount, absent, separation } = column;
  return (
    <section className={styles["ways"]} aria-label="Ways of the step">
      <h2>
        Step {count(number)}: {nameOfColumn(column)}
        {separation !== null && (
          <small title="The greatest difference between the share of the failed and of the succeeded that went one way">
            {" "}
            failed and succeeded part by {Math.round(100 * separation)} %
          </small>
        )}
      </h2>
      <ul>
        {variants.map((variant, index) => (
          <li key={index}>
            <b>{letterOf(index)}</b>
            <Runs tally={variant} />
            <code>{variant.did.hint}</code>
          </li>
        ))}
        {variantCount > variants.length && (
          <li>
            <b />
            {countOf(variantCount - variants.length, "other way")}
          </li>
        )}
        {absent.runs > 0 && (
          <li>
            <b>–</b>
            <Runs tally={absent} />
            <em>no such step here</em>
          </li>
        )}
      </ul>
    </section>
  );
}

function Runs({ tally: { runs, failed, succeeded } }: { tally: Tally }) {
  return (
    <span className={styles["tally"]}>
      <span>{count(runs)}×</span>
      {failed > 0 && <span className="badge bad">{count(failed)} failed</span>}
      {succeeded > 0 && <span className="badge ok">{count(succeeded)} succeeded</span>}
    </span>
  );
}
