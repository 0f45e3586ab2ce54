import type { ReactNode } from "react";
import styles from "./event.module.css";

interface FieldTableProps {
  readonly label: string;
  /** Names with their values; null is missing. */
  readonly rows: readonly (readonly [string, ReactNode])[];
}

/** A small table of names and values; what is missing is a dash. */
export function FieldTable({ label, rows }: FieldTableProps) {
  return (
    <dl className={styles["fields"]} aria-label={label}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? "–"}</dd>
        </div>
      ))}
    </dl>
  );
}
