import { count } from "../parts/format";
import { useCursor } from "./cursor";
import { useFollowing } from "./following";
import styles from "./thread.module.css";

const SAYS = {
  connecting: "connecting…",
  open: "live",
  waiting: "reconnecting…",
  refused: "not live",
  ended: "not live",
};

/** Whether the page follows the thread, and a button that pauses it. */
export function Live() {
  const { address, change } = useCursor();
  const { connection, news } = useFollowing();
  const isPaused = address.paused === true;
  const state = isPaused ? "paused" : connection;
  return (
    <div className={styles["live"]}>
      <span role="status" data-state={state}>
        {isPaused ? "paused" : SAYS[connection]}
      </span>
      <button
        type="button"
        onClick={() => {
          change({ paused: isPaused ? undefined : true }, { replace: true });
        }}
      >
        {!isPaused ? "Pause" : news > 0 ? `${count(news)} new · Resume` : "Resume"}
      </button>
    </div>
  );
}
