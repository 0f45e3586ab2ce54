import { countOf } from "../../../parts/format";
import { useRemarks } from "../../remarks/queries";
import type { Answer } from "../../replays/answers";
import { AnswerMark } from "../../replays/AnswerMark";
import { type Anomaly, toneOf, wordsOf } from "../anomalies";
import type { StoredEvent } from "../events";
import styles from "../history.module.css";

interface EventBadgesProps {
  readonly event: StoredEvent;
  readonly anomalies: readonly Anomaly[];
  /** How a replay found it, of an answer in a fork. */
  readonly answer: Answer | undefined;
}

/** What is wrong with an event, and whether its content is there. */
export function EventBadges({ event, anomalies, answer }: EventBadgesProps) {
  const { redacted, error } = event;
  const remarks = useRemarks().get(event.version)?.length ?? 0;
  return (
    <span className={styles["badges"]}>
      {remarks > 0 && <span className="badge accent">{countOf(remarks, "note")}</span>}
      {answer !== undefined && <AnswerMark by={answer.by} />}
      {anomalies.map((anomaly) => (
        <span key={anomaly.rule} className={`badge ${toneOf(anomaly)}`} title={anomaly.reason}>
          {wordsOf(anomaly)}
        </span>
      ))}
      {redacted !== undefined && (
        <span className="badge" title={`Its content was erased by version ${redacted.version}`}>
          redacted
        </span>
      )}
      {error !== undefined && (
        <span className="badge bad" title={error.detail}>
          content missing
        </span>
      )}
    </span>
  );
}
