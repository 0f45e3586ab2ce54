import { useShortcuts } from "../../app/keyboard";
import { colourOf, groupOf, titleOf } from "../../parts/kinds";
import { bytes, count, time } from "../../parts/format";
import { useCursor } from "../cursor";
import { useTimeline } from "../timeline/timeline";
import type { Recorded } from "./contents";
import styles from "./event.module.css";

interface HeadingProps {
  readonly event: Recorded | null;
  /** The version under the cursor; the event before it stays until its own is read. */
  readonly at: number;
  readonly last: number;
}

/** When a message was sent; of an import without times, when the log took it. */
function Sent({ event }: { event: Recorded }) {
  const { isTimed, isComplete } = useTimeline();
  const sent = isTimed || !isComplete ? event.timestamp : null;
  return (
    <time dateTime={new Date(sent ?? event.recordedAt).toISOString()}>
      {sent === null && "recorded "}
      {time(sent ?? event.recordedAt)}
    </time>
  );
}

/** Types of messages that a model answers with. */
const OF_ANSWERS = new Set(["reply", "tool_calls", "reasoning", "llm_response"]);

/** The event's type, place and time, with buttons to its neighbours. */
export function Heading({ event, at, last }: HeadingProps) {
  const { go, change } = useCursor();
  const timeline = useTimeline();
  const type = event?.type ?? "";
  // of a result it is the request that its call came of
  const answer = OF_ANSWERS.has(type) ? at : timeline.callerOf(at);
  const hasRequest = answer !== at || OF_ANSWERS.has(type);
  const showRequest = (): void => {
    if (!hasRequest) return;
    const request = { state: "model", call: true, pane: "state" } as const;
    change({ ...request, ...(answer !== at && { at: answer }) }, { replace: answer === at });
  };
  useShortcuts("Event", [
    { key: "p", does: "what produced this: the request it came of", run: showRequest },
  ]);
  return (
    <header className={styles["heading"]}>
      <h2 style={{ color: colourOf(groupOf(type)) }}>{event === null ? "Event" : titleOf(type)}</h2>
      <span className={styles["place"]}>
        <strong title={`Version, of ${count(last)}`}>{count(event?.version ?? at)}</strong>
        {event !== null && event.version !== at && <em> reading {count(at)}…</em>}
      </span>
      {event !== null && (
        <>
          <Sent event={event} />
          <span>{bytes(event.bytes)}</span>
          {event.redactedBy !== null && <span className="badge warn">redacted</span>}
        </>
      )}
      {hasRequest && (
        <button type="button" className="quiet" title="p" onClick={showRequest}>
          What produced this
        </button>
      )}
      <span className={styles["ways"]}>
        <button
          type="button"
          aria-label="Previous event"
          disabled={at <= 1}
          onClick={() => {
            go(at - 1, { replace: true });
          }}
        >
          ‹
        </button>
        <button
          type="button"
          aria-label="Next event"
          disabled={at >= last}
          onClick={() => {
            go(at + 1, { replace: true });
          }}
        >
          ›
        </button>
      </span>
    </header>
  );
}
