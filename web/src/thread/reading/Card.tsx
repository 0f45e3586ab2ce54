import type { CSSProperties } from "react";
import { countOf } from "../../parts/format";
import { colourOf, groupOf, isVendors } from "../../parts/kinds";
import type { Recorded } from "../event/contents";
import type { Anomaly } from "../history/anomalies";
import type { StoredEvent } from "../history/events";
import { EventBadges } from "../history/row/EventBadges";
import { EventTime } from "../history/row/EventTime";
import { linesOf, toldOf } from "../history/row/labels";
import { Sign } from "../history/row/Sign";
import type { Answer } from "../replays/answers";
import type { ThreadTimeline } from "../timeline/timeline";
import { callsOf } from "./calls";
import { CallCards, CallHeading } from "./CallCards";
import { hasBody, MessageBody } from "./MessageBody";
import { OpenedBody } from "./OpenedBody";
import { isPress } from "./press";
import styles from "./reading.module.css";

interface CardProps {
  readonly version: number;
  readonly event: StoredEvent | undefined;
  readonly before: StoredEvent | undefined;
  readonly recordedAt: (version: number) => Recorded | undefined;
  readonly timeline: ThreadTimeline;
  readonly anomalies: readonly Anomaly[];
  readonly answer: Answer | undefined;
  readonly isHit: boolean;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly at: number;
  readonly onOpen: (version: number) => void;
  readonly onChoose: (version: number) => void;
}

/** An event as a card; one with calls has their results too. */
export function Card(props: CardProps) {
  const { version, event, isCurrent, isHit, isOpen, onChoose } = props;
  const group = groupOf(event?.type ?? "");
  return (
    <article
      className={styles["card"]}
      data-group={group}
      data-hit={isHit}
      data-open={isOpen}
      data-more={isVendors(event?.type ?? "")}
      aria-current={isCurrent}
      aria-label={`Version ${version}`}
      style={{ "--group": colourOf(group) } as CSSProperties}
      onClick={(event) => {
        if (isPress(event)) onChoose(version);
      }}
    >
      {event === undefined ? (
        <p className={styles["unread"]}>{version} …</p>
      ) : (
        <Read {...props} event={event} />
      )}
    </article>
  );
}

type ReadProps = CardProps & { readonly event: StoredEvent };

function Read(props: ReadProps) {
  const { version, event, before, recordedAt, timeline, anomalies, answer, onChoose } = props;
  const { isCurrent, isOpen, onOpen, at } = props;
  const recorded = recordedAt(version);
  if (recorded === undefined) return null;
  const hasCalls = event.type === "tool_calls";
  const calls = hasCalls ? callsOf(recorded, timeline, recordedAt) : [];
  const [line] = linesOf(event, toldOf(event, timeline.at(version)));
  const [only] = calls;
  const count = timeline.callsAt(version);
  const tabIndex = isCurrent ? 0 : -1;
  const isBody = hasBody(event);
  return (
    <>
      <header>
        <button
          type="button"
          className={`quiet ${styles["version"] ?? ""}`}
          tabIndex={tabIndex}
          aria-label={`Go to version ${version}`}
          onClick={() => {
            onChoose(version);
          }}
        >
          {version}
        </button>
        <Sign group={groupOf(event.type)} />
        <div className={styles["title"]}>
          {only !== undefined && calls.length === 1 ? (
            <CallHeading of={only} />
          ) : (
            <strong className={styles["name"]}>
              {hasCalls ? countOf(Math.max(count, calls.length), "call") : line?.name || "result"}
            </strong>
          )}
          {!isBody && (
            <span className={styles["said"]} title={line?.text}>
              {line?.text}
            </span>
          )}
        </div>
        <EventBadges {...{ event, anomalies, answer }} />
        <button
          type="button"
          className={`quiet ${styles["opens"] ?? ""}`}
          tabIndex={tabIndex}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? "Less" : "All"} of version ${version}`}
          onClick={() => {
            onOpen(version);
          }}
        >
          {isOpen ? "Less" : "All"}
        </button>
        <EventTime
          event={event}
          before={before}
          startMs={timeline.isTimed ? timeline.startMs : null}
        />
      </header>
      {isOpen ? (
        <OpenedBody event={recorded} {...{ calls, at, onChoose }} />
      ) : hasCalls ? (
        <CallCards {...{ calls, count, at, onChoose }} />
      ) : (
        isBody && <MessageBody event={recorded} />
      )}
    </>
  );
}
