import { useCallback, useMemo, useRef, useState } from "react";
import { LOW, useLow } from "../../app/narrow";
import { Failure } from "../../parts/Failure";
import { useCursor } from "../cursor";
import type { Hits } from "../hits";
import { useAnswers } from "../replays/useAnswers";
import type { ThreadTimeline } from "../timeline/timeline";
import { type Anomaly, useAnomalies } from "./anomalies";
import { idOf, useEvents } from "./events";
import type { Group } from "./groups/groups";
import styles from "./history.module.css";
import { EventItem } from "./row/EventItem";
import { EventRow } from "./row/EventRow";
import { FoldRow } from "./row/FoldRow";
import { GroupRow } from "./row/GroupRow";
import { WORKER_HEIGHT } from "./row/WorkerEvents";
import { MOST_LINES, type Row, type Rows } from "./rows";
import { type Heights, useEventWindow } from "./useEventWindow";
import { useChoose, useRowKeys } from "./useRowKeys";

const LINE_HEIGHT = 20;
const PADDING = 8;
const LOW_PADDING = 4;

const NO_ANOMALIES: readonly Anomaly[] = [];

interface EventListProps {
  readonly rows: Rows;
  readonly timeline: ThreadTimeline;
  readonly hits: Hits;
  readonly onToggle: (first: number) => void;
  readonly onToggleGroup: (group: Group) => void;
}

/** The windowed rows. A row's height follows from its number of lines in the timeline. */
export function EventList({ rows, timeline, hits, onToggle, onToggleGroup }: EventListProps) {
  const { threadId, at, last, go } = useCursor();
  const anomalies = useAnomalies();
  const answers = useAnswers();
  const scroller = useRef<HTMLDivElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const unfold = useCallback((version: number) => {
    setUnfolded((before) => before.symmetricDifference(new Set([version])));
  }, []);
  const choose = useChoose();
  useRowKeys(rows, choose);
  const padding = useLow(LOW) ? LOW_PADDING : PADDING;
  const heights = useMemo(
    () => heightsOf(timeline, unfolded, padding),
    [timeline, unfolded, padding],
  );
  const { drawn, height, keepPlace } = useEventWindow(scroller, rows, heights);
  const items = drawn.map((item) => ({ ...item, row: rows.row(item.index) }));
  const versions = items.flatMap(({ row }) => (row.isOpen === null ? [row.first] : []));
  const events = useEvents(threadId, versions, last);
  return (
    <div
      ref={scroller}
      className={styles["scroller"]}
      role="region"
      aria-label="Events"
      tabIndex={0}
      onScroll={keepPlace}
    >
      {events.error !== null && <Failure error={events.error} />}
      <ol className={styles["all"]} style={{ height }}>
        {items.map(({ index, start, size, row }) => (
          <EventItem
            key={row.isOpen === null ? row.first : `run ${row.first}`}
            {...{ index, length: rows.length, top: start, height: size }}
            depth={rows.depth(index)}
            unfolded={
              row.isOpen === null && unfolded.has(row.first) ? events.at(row.first) : undefined
            }
          >
            {row.isOpen === null ? (
              <EventRow
                version={row.first}
                event={events.at(row.first)}
                before={events.at(row.first - 1)}
                timeline={timeline}
                anomalies={anomalies?.get(row.first) ?? NO_ANOMALIES}
                answer={answers?.get(idOf(events.at(row.first)))}
                hit={hits.of.get(row.first)}
                isCurrent={row.first === at}
                isUnfolded={unfolded.has(row.first)}
                onUnfold={unfold}
                onJump={go}
                onChoose={choose}
              />
            ) : row.group !== undefined ? (
              <GroupRow
                {...{ group: row.group, isOpen: row.isOpen, isCurrent: row.first === at }}
                onToggle={() => {
                  if (row.group !== undefined) onToggleGroup(row.group);
                }}
                onChoose={() => {
                  choose(row.first);
                }}
              />
            ) : (
              <FoldRow
                {...{ row, at, typeOf: (version) => timeline.typeOf(version) }}
                onToggle={() => {
                  onToggle(row.first);
                }}
              />
            )}
          </EventItem>
        ))}
      </ol>
    </div>
  );
}

/** A row has a line per call or result, and room for its worker's events where they are shown. */
function heightsOf(
  timeline: ThreadTimeline,
  unfolded: ReadonlySet<number>,
  padding: number,
): Heights {
  const of = ({ first, isOpen }: Row): number => {
    const lines = isOpen === null ? timeline.callsAt(first) : 1;
    const drawn = lines > MOST_LINES ? MOST_LINES + 1 : lines;
    const below = isOpen === null && unfolded.has(first) ? WORKER_HEIGHT : 0;
    return padding + LINE_HEIGHT * Math.max(1, drawn) + below;
  };
  return { of, areMeasured: false };
}
