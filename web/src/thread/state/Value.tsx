import { ExactNumber, type Json } from "../../api/exact";
import { JsonTree } from "../../parts/JsonTree";
import { Folded } from "./Folded";
import styles from "./state.module.css";

/** A value: text as text, an object or a list as a tree. */
export function Value({ value, label, open = 1 }: { value: Json; label: string; open?: number }) {
  if (typeof value === "string") {
    return value === "" ? (
      <i className={styles["none"]}>empty</i>
    ) : (
      <Folded text={value} label={label} />
    );
  }
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return (
      <code className={styles[value === null ? "none" : "scalar"]} data-is={String(value)}>
        {String(value)}
      </code>
    );
  }
  return <JsonTree value={value} label={label} open={open} />;
}
