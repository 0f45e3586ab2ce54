import { type CSSProperties, memo } from "react";
import type { Hit } from "../../hits";
import { pairsOf } from "../../timeline/pairing";
import type { ThreadTimeline } from "../../timeline/timeline";
import type { Answer } from "../../replays/answers";
import type { Anomaly } from "../anomalies";
import { EventBadges } from "./EventBadges";
import { EventLine } from "./EventLine";
import { EventTime } from "./EventTime";
import type { StoredEvent } from "../events";
import styles from "../history.module.css";
import { colourOf, groupOf } from "../../../parts/kinds";
import { linesOf, toldOf } from "./labels";
import { Marked } from "./Marked";
import { MOST_LINES } from "../rows";
import { Sign } from "./Sign";
import { startsTurn } from "../turns";

interface EventRowProps {
  readonly version: number;
  readonly event: StoredEvent | undefined;
  readonly before: StoredEvent | undefined;
  readonly timeline: ThreadTimeline;
  readonly anomalies: readonly Anomaly[];
  readonly answer: Answer | undefined;
  readonly hit: Hit | undefined;
  readonly isCurrent: boolean;
  /** Whether the events of its worker's thread are shown below. */
  readonly isUnfolded: boolean;
  readonly onUnfold: (version: number) => void;
  readonly onChoose: (version: number) => void;
  readonly onJump: (version: number) => void;
}

/** One event of the list: one line, or a line per call or result. */
export const EventRow = memo(function EventRow(props: EventRowProps) {
  const { version, event, before, timeline, anomalies, hit, isCurrent, onChoose, onJump } = props;
  const { answer, isUnfolded, onUnfold } = props;
  if (event === undefined) {
    return (
      <div className={styles["event"]}>
        <span className={styles["version"]}>{version}</span>
        <span className={styles["unread"]}>…</span>
      </div>
    );
  }
  const spans = timeline.at(version);
  const pairs = pairsOf(event.type, version, spans);
  const lines = linesOf(event, toldOf(event, spans));
  const group = groupOf(event.type);
  const choose = (): void => {
    onChoose(version);
  };
  const excerpt = hit?.excerpts[0];
  const tabIndex = isCurrent ? 0 : -1;
  // the event is a preview, whose lists are cut: the timeline has all of its calls
  const more = Math.max(lines.length, timeline.callsAt(version)) - MOST_LINES;
  return (
    <div
      className={styles["event"]}
      data-group={group}
      style={{ "--group": colourOf(group) } as CSSProperties}
      data-turn={startsTurn(event, before)}
      data-hit={hit !== undefined}
      aria-current={isCurrent}
    >
      <span className={styles["version"]}>{version}</span>
      <Sign group={group} />
      <div className={styles["lines"]}>
        {(lines.length === 0 ? [NOTHING] : lines.slice(0, MOST_LINES)).map((line, index) => (
          <EventLine
            key={index}
            line={line}
            pair={pairs[index]}
            isResult={event.type === "tool_results"}
            excerpt={index === 0 && excerpt !== undefined ? <Marked excerpt={excerpt} /> : null}
            tabIndex={tabIndex}
            onJump={onJump}
            isUnfolded={isUnfolded}
            onUnfold={() => {
              onUnfold(version);
            }}
            onChoose={index > 0 ? null : choose}
          />
        ))}
        {more > 0 && <div className={styles["line"]}>… {more} more</div>}
      </div>
      <EventBadges {...{ event, anomalies, answer }} />
      <EventTime
        event={event}
        before={before}
        startMs={timeline.isTimed ? timeline.startMs : null}
      />
    </div>
  );
});

const NOTHING = { name: "nothing", text: "", callId: null };
