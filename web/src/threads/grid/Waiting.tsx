import { countOf } from "../../parts/format";
import { PAGE_ROWS, refresh } from "./threadRows";
import styles from "./Waiting.module.css";

interface WaitingProps {
  readonly count: number;
  /** Goes to the top of the list. */
  readonly onShow: () => void;
}

/** Over a held list: the number of new or moved threads, and a button that shows them. */
export function Waiting({ count, onShow }: WaitingProps) {
  const words = count < PAGE_ROWS ? countOf(count, "thread") : `${PAGE_ROWS} or more threads`;
  return (
    <div role="status" className={styles["place"]}>
      {count > 0 && (
        <button
          type="button"
          className="primary"
          onClick={() => {
            onShow();
            refresh();
          }}
        >
          <span aria-hidden="true">↑ </span>
          {words} new or moved
        </button>
      )}
    </div>
  );
}
