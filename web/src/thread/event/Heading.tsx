import { colourOf, groupOf, titleOf } from "../../parts/kinds";
import { bytes, count, time } from "../../parts/format";
import { useCursor } from "../cursor";
import type { Recorded } from "./contents";
import styles from "./event.module.css";

interface HeadingProps {
  readonly event: Recorded | null;
  readonly at: number;
  readonly last: number;
}

/** The event's type, place and time, with buttons to its neighbours. */
export function Heading({ event, at, last }: HeadingProps) {
  const { go } = useCursor();
  const type = event?.type ?? "";
  return (
    <header className={styles["heading"]}>
      <h2 style={{ color: colourOf(groupOf(type)) }}>{event === null ? "Event" : titleOf(type)}</h2>
      <span className={styles["place"]}>
        <strong>{count(at)}</strong> of {count(last)}
      </span>
      {event !== null && (
        <>
          <time dateTime={new Date(event.timestamp ?? event.recordedAt).toISOString()}>
            {time(event.timestamp ?? event.recordedAt)}
          </time>
          <span>{bytes(event.bytes)}</span>
          {event.redactedBy !== null && <span className="badge warn">redacted</span>}
        </>
      )}
      <span className={styles["ways"]}>
        <button
          type="button"
          aria-label="Previous event"
          disabled={at <= 1}
          onClick={() => {
            go(at - 1);
          }}
        >
          ‹
        </button>
        <button
          type="button"
          aria-label="Next event"
          disabled={at >= last}
          onClick={() => {
            go(at + 1);
          }}
        >
          ›
        </button>
      </span>
    </header>
  );
}
