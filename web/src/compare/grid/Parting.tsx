import { count, countOf } from "../../parts/format";
import type { Row } from "./alignment";
import styles from "../compare.module.css";
import type { Comparisons } from "../queries";

interface PartingProps {
  readonly page: Comparisons;
  readonly rows: readonly Row[];
  readonly current: number | undefined;
  readonly hasMore: boolean;
  readonly onGo: () => void;
}

/** One line: the number of equal steps before the first difference, and of those that differ. */
export function Parting({ page, rows, current, hasMore, onGo }: PartingProps) {
  const { divergence, sides, comparisons } = page;
  if (divergence === null) return <p className={styles["parting"]}>These threads say the same.</p>;
  const differing = rows.flatMap(({ isEqual }, row) => (isEqual ? [] : [row]));
  const index = current === undefined ? -1 : differing.indexOf(current);
  return (
    <div className={styles["parting"]} aria-live="polite">
      <button type="button" onClick={onGo} title="(d)">
        First difference after {countOf(divergence.equal, "equal step")}
      </button>
      {index >= 0 && (
        <span>
          difference {count(index + 1)} of {count(differing.length)}
          {hasMore && "+"}
        </span>
      )}
      {comparisons.map(({ b, counts, divergence: own }) => (
        <small key={b}>
          {comparisons.length > 1 && <strong>{sides[b]?.threadId} </strong>}
          {comparisons.length > 1 && own !== null && `differs after ${count(own.equal)}: `}
          {(
            [
              [counts.equal, "equal"],
              [counts.changed, "changed"],
              [counts.onlyA, `only in ${sides[0]?.threadId ?? ""}`],
              [counts.onlyB, `only in ${sides[b]?.threadId ?? ""}`],
            ] as const
          )
            .filter(([value]) => value !== 0)
            .map(([value, name]) => `${count(value)} ${name}`)
            .join(", ")}
        </small>
      ))}
    </div>
  );
}
