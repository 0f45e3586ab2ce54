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

/** Whether the page follows the thread, and a button that pauses it; `isQuiet`: nothing comes. */
export function Live({ isQuiet }: { isQuiet: boolean }) {
  const { address, change } = useCursor();
  const { connection, news } = useFollowing();
  const isPaused = address.paused === true;
  const isIdle = isQuiet && !isPaused && connection === "open";
  const state = isPaused ? "paused" : isIdle ? "quiet" : connection;
  return (
    <div className={styles["live"]}>
      <span role="status" data-state={state}>
        {isPaused ? "paused" : isIdle ? "quiet" : SAYS[connection]}
      </span>
      {!isIdle && (
        <button
          type="button"
          onClick={() => {
            change({ paused: isPaused ? undefined : true }, { replace: true });
          }}
        >
          {!isPaused ? "Pause" : news > 0 ? `${count(news)} new · Resume` : "Resume"}
        </button>
      )}
    </div>
  );
}
