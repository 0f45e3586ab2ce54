import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useShortcuts } from "../../app/keyboard";
import { count, counted } from "../../parts/format";
import { useCursor } from "../cursor";
import { useHits } from "../hits";
import { type ThreadTimeline, useTimeline } from "../timeline/timeline";
import { axisOf, type Range, rangeIn, scaled, zoomTo } from "./chart/axis";
import { Controls } from "./Controls";
import { courseOf } from "./course";
import { Figures } from "./Figures";
import { rowsOf } from "./chart/lanes";
import { type JumpMark, travelKeys } from "./moves/keys";
import { marked, next } from "./marks";
import { saidAt } from "./said";
import { isOpenAtFirst, keepOpen } from "./opening";
import { Scrubber } from "./Scrubber";
import { TimeChart } from "./chart/TimeChart";
import styles from "./Travel.module.css";
import type { MoveOptions } from "./moves/moves";
import { useMoves } from "./moves/useMoves";
import { usePlay } from "./moves/usePlay";

/** Moves the cursor through the thread: by step, jump, drag, play, and by time. */
export function TravelBar() {
  const { threadId } = useCursor();
  return <Bar key={threadId} />;
}

function Bar() {
  const { address, last, beyond, a, b, change } = useCursor();
  const { at, move } = useMoves();
  const timeline = useTimeline();
  const [notice, setNotice] = useState("");
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  /** A jump whose target is not read yet. */
  const [awaited, setAwaited] = useState<{ mark: JumpMark; by: 1 | -1 } | null>(null);
  const { versions: hits, error, isPending } = useHits();

  const { zoom } = address;
  const drawn = useDrawn(timeline);
  const course = useMemo(() => courseOf(drawn, last), [drawn, last]);
  const axis = useMemo(() => axisOf(course.times), [course]);
  const rows = useMemo(() => rowsOf(drawn, course, axis), [drawn, course, axis]);
  const marks = useMemo(
    () => ({
      errors: marked(drawn, "error"),
      approvals: marked(drawn, "approval"),
      hits,
      a,
      b,
    }),
    [drawn, hits, a, b],
  );
  const range = useMemo(
    () => rangeIn(zoom, axis) ?? { from: 0, to: axis.length || 1 },
    [zoom, axis],
  );
  const said = useMemo(() => saidAt(timeline.at(at), at), [timeline, at]);
  const play = usePlay({ at, course, onMove: move });

  const go = (version: number, options?: MoveOptions): void => {
    play.stop();
    setNotice("");
    setAwaited(null);
    move(version, options);
  };
  const missing = (mark: JumpMark): string | null => {
    if (mark !== "hit" || hits.length > 0) return null;
    if (address.find === undefined) return "Find a text first: its hits are marks";
    if (isPending) return "Searching…";
    return error === null ? `No hit of “${address.find}”` : error.message;
  };
  const jump = (mark: JumpMark, by: 1 | -1, isHeld = false): void => {
    const isRead = mark === "hit" || timeline.isComplete || (by === -1 && timeline.loadedTo >= at);
    const found = mark === "hit" ? next(hits, at, by) : timeline.find(mark, at, by);
    const isNearest = found !== null && (isRead || by === 1);
    setAwaited(isNearest || isRead ? null : { mark, by });
    if (isNearest) go(found, { isContinued: isHeld });
    else if (!isRead) setNotice(`Reading on to the ${by === 1 ? "next" : "previous"} ${mark}…`);
    else setNotice(missing(mark) ?? `No ${mark} ${by === 1 ? "after" : "before"} this`);
  };
  useEffect(() => {
    if (awaited === null) return;
    const again = setTimeout(() => {
      jump(awaited.mark, awaited.by);
    });
    return () => {
      clearTimeout(again);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- again when there is more to look in
  }, [awaited, timeline]);
  const pin = (name: "a" | "b"): void => {
    change({ [name]: { a, b }[name] === at ? undefined : at });
  };
  const show = (part: Range | null): void => {
    const isAll = part === null || part.to - part.from >= axis.length;
    change({ zoom: isAll ? undefined : zoomTo(part, axis) });
  };
  const zoomBy = (factor: number): void => {
    show(scaled(range, factor, axis.toUnit(course.times[at] ?? 0), axis));
  };

  const isZoomed = zoom !== undefined;
  useShortcuts("Travel", travelKeys({ at, last, go, jump, pin, play, zoomBy, show, isZoomed }));

  return (
    <section className={styles["bar"]} data-open={isOpen} aria-label="Travel">
      <div className={styles["controls"]}>
        <Controls
          at={at}
          last={last}
          play={play}
          onMove={go}
          onJump={jump}
          missing={missing}
          pins={{ a, b }}
          onPin={pin}
        />
        <button
          type="button"
          className="quiet"
          aria-expanded={isOpen}
          onClick={() => {
            keepOpen(!isOpen);
            setOpen(!isOpen);
          }}
        >
          Timeline <span aria-hidden>{isOpen ? "▴" : "▾"}</span>
        </button>
        <span className={styles["notice"]} role="status">
          {notice}
          {beyond !== null &&
            `There is no version ${count(beyond)}: this is the last, ${count(last)}`}
        </span>
        {!timeline.isComplete && (
          <span>
            Reading: {count(timeline.loadedTo)} of {counted(last, "event")}
          </span>
        )}
        {timeline.isComplete && !course.isTimed && (
          <span>All messages have the same time: drawn in their order</span>
        )}
        {isZoomed && (
          <button
            type="button"
            title="Show the whole timeline (Escape)"
            onClick={() => {
              show(null);
            }}
          >
            Zoom out
          </button>
        )}
      </div>
      {isOpen && (
        <>
          <Scrubber at={at} last={last} said={said} marks={marks} onMove={go} />
          <TimeChart
            timeline={drawn}
            course={course}
            axis={axis}
            rows={rows}
            range={range}
            at={at}
            onGo={go}
            onZoom={show}
          />
          <div className={styles["here"]}>
            <span>{said === "" ? "" : `v${at} · ${said}`}</span>
            <Figures at={at} last={last} timeline={timeline} course={course} />
          </div>
        </>
      )}
    </section>
  );
}

/**
 * The timeline to draw: while it is read, one that has grown by half; so drawing 100,000 spans as
 * they come costs three times as much as drawing them once.
 */
function useDrawn(timeline: ThreadTimeline): ThreadTimeline {
  const [drawn, setDrawn] = useState(timeline);
  const isNews = timeline.isComplete || timeline.length > drawn.length * GROWTH;
  if (timeline !== drawn && isNews) setDrawn(timeline);
  return useDeferredValue(drawn);
}

const GROWTH = 1.5;
