import type { Recorded } from "../event/contents";
import styles from "./remarks.module.css";
import { remarkTexts } from "./texts";

/** A note, labels or a verdict, as an event of its own. */
export function RemarkShown({ event }: { event: Recorded }) {
  const [first, ...others] = remarkTexts(event);
  return (
    <>
      <p className={styles["text"]}>{first}</p>
      {others.length > 0 && <p className={styles["soft"]}>{others.join(" · ")}</p>}
    </>
  );
}
