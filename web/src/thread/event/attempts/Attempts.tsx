import { countOf, ordinal } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { attemptBeside, seriesOf } from "../../timeline/attempts";
import { pairsOf } from "../../timeline/pairing";
import { useTimeline } from "../../timeline/timeline";
import type { Recorded } from "../contents";
import styles from "../event.module.css";
import { CallDifference } from "./CallDifference";

interface AttemptsProps {
  readonly event: Recorded;
  /** Which call or result of the event. */
  readonly index: number;
}

/** Which attempt a call is, the way to the others, and what differs from the one before. */
export function Attempts({ event, index }: AttemptsProps) {
  const timeline = useTimeline();
  const call = pairsOf(event.type, event.version, timeline.at(event.version))[index]?.span;
  const series = call === undefined ? null : seriesOf(timeline, call);
  if (call === undefined || series === null) return null;
  const { attempts, index: position } = series;
  const before = attempts[position - 1];
  return (
    <aside className={styles["attempts"]} aria-label="Attempts">
      <p>
        <b>{ordinal(position + 1)}</b> of {countOf(attempts.length, "attempt")}
        <Beside name="Previous attempt" sign="‹" at={event.version} by={-1} />
        <Beside name="Next attempt" sign="›" at={event.version} by={1} />
      </p>
      {before !== undefined && event.redactedBy === null && (
        <CallDifference before={before} call={call} of={["arguments", "result"]} />
      )}
    </aside>
  );
}

interface BesideProps {
  readonly name: string;
  readonly sign: string;
  readonly at: number;
  readonly by: 1 | -1;
}

function Beside({ name, sign, at, by }: BesideProps) {
  const { go } = useCursor();
  const to = attemptBeside(useTimeline(), at, by);
  return (
    <button
      type="button"
      aria-label={name}
      title={`${name} (${by === 1 ? "." : ","})`}
      disabled={to === null}
      onClick={() => {
        if (to !== null) go(to);
      }}
    >
      {sign}
    </button>
  );
}
