import { printExact } from "../../api/exact";
import { Copy } from "../../parts/Copy";
import { JsonTree } from "../../parts/JsonTree";
import type { Recorded } from "./contents";
import styles from "./event.module.css";

/** The event as the API answers it. */
export function JsonPanel({ event }: { event: Recorded }) {
  return (
    <>
      <div className={styles["beside"]}>
        <Copy text={() => printExact(event.whole, 2)}>
          {event.isCut ? "Copy the beginning" : "Copy"}
        </Copy>
      </div>
      <JsonTree key={event.id} value={event.whole} label="Event" open={3} />
    </>
  );
}
