import { duration } from "../../../parts/format";
import type { StoredEvent } from "../events";
import styles from "../history.module.css";
import { pauseBefore } from "../turns";

interface EventTimeProps {
  readonly event: StoredEvent;
  readonly before: StoredEvent | undefined;
  /** Time of the thread's first message; null where its messages have no times of their own. */
  readonly startMs: number | null;
}

/** The pause before an event if it is long, else the time since the thread began, if it has any. */
export function EventTime({ event, before, startMs }: EventTimeProps) {
  const pause = pauseBefore(event, before);
  if (pause !== null) {
    return (
      <span className={styles["time"]} title="Since the event before">
        <b>+{duration(pause)}</b>
      </span>
    );
  }
  if (startMs === null) return null;
  const isMessage = event.kind === "message";
  const since = isMessage ? Math.max(0, Number(event.message["timestamp"]) - startMs) : null;
  return <span className={styles["time"]}>{since !== null && duration(since)}</span>;
}
