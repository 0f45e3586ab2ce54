import { bytes } from "../../parts/format";
import styles from "./event.module.css";
import type { Whole } from "./useWhole";

/** Says that a large message is shown in part, with the way to all of it. */
export function Beginning({ of: { event, showAll } }: { of: Whole }) {
  return (
    <p className={styles["note"]}>
      This is the beginning.{" "}
      <button type="button" onClick={showAll}>
        Show all {bytes(event?.bytes)}
      </button>
    </p>
  );
}
