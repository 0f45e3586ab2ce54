import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { useShortcuts } from "../../app/keyboard";
import { Failure } from "../../parts/Failure";
import { useCursor } from "../cursor";
import { isNarrow, ONE_PANE, useNarrow } from "../../app/narrow";
import type { Hits } from "../hits";
import type { ThreadTimeline } from "../timeline/timeline";
import { type Anomaly, useAnomalies } from "./anomalies";
import { EventRow } from "./row/EventRow";
import { type StoredEvent, useEvents } from "./events";
import { FoldRow } from "./row/FoldRow";
import styles from "./history.module.css";
import { linesOf } from "./row/labels";
import { MOST_LINES, type Rows } from "./rows";
import { WORKER_HEIGHT, WorkerEvents } from "./row/WorkerEvents";
import workerStyles from "./row/WorkerEvents.module.css";

const LINE_HEIGHT = 20;
const PADDING = 8;
/** Pixels from the end: nearer than this, the list follows a growing thread. */
const NEAR = 40;

const NO_ANOMALIES: readonly Anomaly[] = [];

interface EventListProps {
  readonly rows: Rows;
  readonly timeline: ThreadTimeline;
  readonly hits: Hits;
  readonly onToggle: (first: number) => void;
}

/** The windowed rows. A row's height follows from its number of lines in the timeline. */
export function EventList({ rows, timeline, hits, onToggle }: EventListProps) {
  const { threadId, at, last, isAtEnd, go, change } = useCursor();
  const anomalies = useAnomalies();
  const scroller = useRef<HTMLDivElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const unfold = useCallback((version: number) => {
    setUnfolded((before) => before.symmetricDifference(new Set([version])));
  }, []);
  const place = useRef({ first: 0, offset: 0, isAtBottom: true });
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const { first, isOpen } = rows.row(index);
      const lines = isOpen === null ? timeline.callsAt(first) : 1;
      const more = lines > MOST_LINES ? MOST_LINES + 1 : lines;
      const below = isOpen === null && unfolded.has(first) ? WORKER_HEIGHT : 0;
      return PADDING + LINE_HEIGHT * Math.max(1, more) + below;
    },
    overscan: 12,
  });
  const current = rows.indexOf(at);

  const wasAtEnd = useRef<boolean | null>(null);
  useLayoutEffect(() => {
    // a reader who scrolled away from the end stays there
    if (isAtEnd && wasAtEnd.current === true && !place.current.isAtBottom) return;
    const align = isAtEnd ? "end" : wasAtEnd.current === null ? "center" : "auto";
    wasAtEnd.current = isAtEnd;
    if (current >= 0) list.scrollToIndex(current, { align });
  }, [list, current, isAtEnd]);

  useLayoutEffect(() => {
    list.measure();
    const { first, offset, isAtBottom } = place.current;
    if (isAtBottom && wasAtEnd.current === true) {
      list.scrollToIndex(rows.length - 1, { align: "end" });
    } else if (first > 0) {
      const found = list.measurementsCache[Math.max(0, rows.indexOf(first))];
      if (found !== undefined) list.scrollToOffset(found.start + offset);
    }
  }, [list, rows, unfolded]);

  const move = (by: 1 | -1): void => {
    const from = rows.length > 0 && current < 0 ? (by > 0 ? -1 : 0) : current;
    let next = from + by;
    // the head of an unfolded run has the version of its first event
    while (rows.row(next).isOpen === true && next + by >= 0 && next + by < rows.length) next += by;
    if (next >= 0 && next < rows.length) go(rows.row(next).last, { replace: true });
  };
  const down = {
    does: "next row",
    run: () => {
      move(1);
    },
  };
  const up = {
    does: "row before",
    run: () => {
      move(-1);
    },
  };
  useShortcuts("History", [
    { key: "j", ...down },
    { key: "k", ...up },
    { key: "ArrowDown", ...down },
    { key: "ArrowUp", ...up },
  ]);

  const choose = useCallback(
    (version: number) => {
      if (isNarrow(ONE_PANE)) change({ at: version, pane: "event" });
      else go(version);
    },
    [change, go],
  );
  useShortcuts(
    "History",
    useNarrow(ONE_PANE)
      ? [
          {
            key: "Enter",
            does: "open the event",
            run: () => {
              choose(at);
            },
          },
        ]
      : [],
  );

  const drawn = list.getVirtualItems();
  const shown = drawn.map(({ index }) => rows.row(index));
  const versions = shown.filter(({ isOpen }) => isOpen === null).map(({ first }) => first);
  const events = useEvents(threadId, versions, last);
  return (
    <div
      ref={scroller}
      className={styles["scroller"]}
      role="region"
      aria-label="Events"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        const top = list.getVirtualItemForOffset(scrollTop);
        if (top === undefined) return;
        place.current = {
          first: rows.row(top.index).first,
          offset: scrollTop - top.start,
          isAtBottom: scrollHeight - clientHeight - scrollTop < NEAR,
        };
      }}
    >
      {events.error !== null && <Failure error={events.error} />}
      <ol className={styles["all"]} style={{ height: list.getTotalSize() }}>
        {drawn.map(({ index, start, size }, drawnIndex) => {
          const row = shown[drawnIndex] ?? rows.row(index);
          const worker = unfolded.has(row.first) ? workerOf(events.at(row.first)) : null;
          return (
            <li
              key={row.isOpen === null ? row.first : `run ${row.first}`}
              className={`${styles["row"] ?? ""} ${worker === null ? "" : (workerStyles["row"] ?? "")}`}
              style={{ transform: `translateY(${start}px)`, height: size }}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
            >
              {row.isOpen === null ? (
                <EventRow
                  version={row.first}
                  event={events.at(row.first)}
                  before={events.at(row.first - 1)}
                  timeline={timeline}
                  anomalies={anomalies?.get(row.first) ?? NO_ANOMALIES}
                  hit={hits.of.get(row.first)}
                  isCurrent={row.first === at}
                  isUnfolded={unfolded.has(row.first)}
                  onUnfold={unfold}
                  onJump={go}
                  onChoose={choose}
                />
              ) : (
                <FoldRow
                  row={row}
                  at={at}
                  typeOf={(version) => timeline.typeOf(version)}
                  onToggle={() => {
                    onToggle(row.first);
                  }}
                />
              )}
              {row.isOpen === null && worker !== null && (
                <div
                  className={workerStyles["block"]}
                  style={{ height: WORKER_HEIGHT }}
                  role="region"
                  aria-label={`Thread ${worker}`}
                  tabIndex={0}
                >
                  <WorkerEvents threadId={worker} />
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function workerOf(event: StoredEvent | undefined): string | null {
  return event === undefined ? null : (linesOf(event)[0]?.threadId ?? null);
}
