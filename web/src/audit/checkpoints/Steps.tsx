import type { Step } from "./proofs";
import styles from "../audit.module.css";

/** The verified steps, one line each, and the conclusion. */
export function Steps({ steps, shows }: { steps: readonly Step[]; shows: string }) {
  const isBroken = steps.some(({ isGood }) => isGood === false);
  const isPartly = steps.some(({ isGood }) => isGood === null);
  const [tone, label] = isBroken
    ? ["bad", "Not proved"]
    : isPartly
      ? ["warn", "Proved in part"]
      : ["ok", "Proved"];
  return (
    <div role="status" className={styles["result"]}>
      <p>
        <span className={`badge ${tone}`}>{label}</span> {isBroken ? "" : shows}
      </p>
      <ul className={styles["steps"]}>
        {steps.map(({ isGood, text }) => (
          <li key={text} data-good={isGood}>
            <span aria-hidden="true">{isGood === null ? "–" : isGood ? "✓" : "✗"}</span>
            <span>
              {isGood === false && <span className="hidden">Failed: </span>}
              {text}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
