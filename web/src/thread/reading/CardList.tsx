import { type ReactNode, useRef, useState } from "react";
import { useShortcuts } from "../../app/keyboard";
import { Failure } from "../../parts/Failure";
import { useCursor } from "../cursor";
import { recordedIn } from "../event/contents";
import { type Anomaly, useAnomalies } from "../history/anomalies";
import { CARDS, idOf, useEvents } from "../history/events";
import { FoldRow } from "../history/row/FoldRow";
import type { Rows } from "../history/rows";
import { type Heights, useEventWindow } from "../history/useEventWindow";
import { useRowKeys } from "../history/useRowKeys";
import type { Hits } from "../hits";
import { useAnswers } from "../replays/useAnswers";
import type { ThreadTimeline } from "../timeline/timeline";
import { answersTo } from "./calls";
import { Card } from "./Card";
import styles from "./reading.module.css";

const NO_ANOMALIES: readonly Anomaly[] = [];
const HEIGHTS: Heights = { of: ({ isOpen }) => (isOpen === null ? 110 : 30), areMeasured: true };
/** Results that are read with a card; more of them when it is open. */
const MOST_ANSWERS = 8;
const ALL_ANSWERS = 200;

interface CardListProps {
  readonly rows: Rows;
  readonly timeline: ThreadTimeline;
  readonly hits: Hits;
  readonly onToggle: (first: number) => void;
}

/** The transcript as cards, a call with its result as one; those in sight are drawn. */
export function CardList({ rows, timeline, hits, onToggle }: CardListProps) {
  const { threadId, at, last, go } = useCursor();
  const anomalies = useAnomalies();
  const answers = useAnswers();
  const scroller = useRef<HTMLDivElement>(null);
  const { drawn, height, measure, keepPlace, leave, stay } = useEventWindow(
    scroller,
    rows,
    HEIGHTS,
  );
  const choose = (version: number): void => {
    stay();
    go(version);
  };
  useRowKeys(rows, choose);
  const [openCards, open] = useOpenCards(() => {
    leave();
    return rows.row(rows.indexOf(at)).first;
  });
  const items = drawn.map((item) => ({ ...item, row: rows.row(item.index) }));
  const versions = items.flatMap(({ row }) => {
    if (row.isOpen !== null) return [];
    const most = openCards.has(row.first) ? ALL_ANSWERS : MOST_ANSWERS;
    return [row.first, ...answersTo(row.first, timeline, most)];
  });
  const events = useEvents(threadId, versions, last, CARDS);
  const recordedAt = (version: number) => {
    const event = events.at(version);
    return event === undefined ? undefined : recordedIn(event);
  };
  const typeOf = (version: number): string | null => timeline.typeOf(version);
  return (
    <div
      ref={scroller}
      className={styles["scroller"]}
      role="region"
      aria-label="Events"
      tabIndex={0}
      onScroll={keepPlace}
      onWheel={leave}
      onTouchMove={leave}
      onPointerDown={leave}
      onKeyDown={leave}
    >
      {events.error !== null && <Failure error={events.error} />}
      <ol className={styles["all"]} style={{ height }}>
        {items.map(({ index, key, start, row }) => (
          <Place key={key} {...{ index, start, measure, length: rows.length }}>
            {row.isOpen === null ? (
              <Card
                version={row.first}
                event={events.at(row.first)}
                before={events.at(row.first - 1)}
                recordedAt={recordedAt}
                timeline={timeline}
                anomalies={anomalies?.get(row.first) ?? NO_ANOMALIES}
                answer={answers?.get(idOf(events.at(row.first)))}
                isHit={hits.of.has(row.first)}
                isCurrent={rows.indexOf(at) === index}
                isOpen={openCards.has(row.first)}
                {...{ at, onOpen: open, onChoose: choose }}
              />
            ) : (
              <FoldRow
                {...{
                  row,
                  at,
                  typeOf,
                  onToggle: () => {
                    onToggle(row.first);
                  },
                }}
              />
            )}
          </Place>
        ))}
      </ol>
    </div>
  );
}

interface PlaceProps {
  readonly index: number;
  readonly length: number;
  /** Pixels from the top of the list. */
  readonly start: number;
  readonly measure: (element: Element | null) => void;
  readonly children: ReactNode;
}

/** A card at its place in the list, as high as it is. */
function Place({ index, length, start, measure, children }: PlaceProps) {
  return (
    <li
      ref={measure}
      data-index={index}
      className={styles["place"]}
      style={{ transform: `translateY(${start}px)` }}
      aria-setsize={length}
      aria-posinset={index + 1}
    >
      {children}
    </li>
  );
}

/** The versions whose cards are open, and what opens or closes one; by a key the current one. */
function useOpenCards(current: () => number): [ReadonlySet<number>, (version: number) => void] {
  const [openCards, setOpenCards] = useState<ReadonlySet<number>>(new Set());
  const open = (version: number): void => {
    setOpenCards((before) => before.symmetricDifference(new Set([version])));
  };
  const run = (): void => {
    open(current());
  };
  useShortcuts("History", [{ key: "c", does: "open or close the card", run }]);
  return [openCards, open];
}
