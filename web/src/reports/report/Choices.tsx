import type { ReportRow, ReportTerms } from "../queries";
import styles from "../reports.module.css";
import { Breakdowns } from "./Breakdowns";
import { Filters } from "./Filters";

interface ChoicesProps {
  readonly terms: ReportTerms;
  /** The rows there are, whose values are offered for filters. */
  readonly rows: readonly ReportRow[];
}

/** What rows are about, from when to when, and only which. */
export function Choices({ terms, rows }: ChoicesProps) {
  return (
    <div className={styles["choices"]}>
      {terms.breakdowns.length > 0 && <Breakdowns terms={terms} />}
      <Filters terms={terms} rows={rows} />
    </div>
  );
}
