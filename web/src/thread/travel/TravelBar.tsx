import { useMemo } from "react";
import { useShortcuts } from "../../app/keyboard";
import { count, countOf } from "../../parts/format";
import { useCursor } from "../cursor";
import { useHits } from "../hits";
import { useTimeline } from "../timeline/timeline";
import { TimeChart } from "./chart/TimeChart";
import { type Chart, useChart } from "./chart/useChart";
import { Controls } from "./Controls";
import { withMark } from "./marks";
import { travelKeys } from "./moves/keys";
import type { MoveOptions } from "./moves/moves";
import { useJumps } from "./moves/useJumps";
import { useMoves } from "./moves/useMoves";
import { usePlay } from "./moves/usePlay";
import { criticalText, versionText } from "./texts";
import { Scrubber } from "./Scrubber";
import styles from "./Travel.module.css";
import { useOpen } from "./useOpen";

/** Moves the cursor through the thread: by step, jump, drag, play, and by time. */
export function TravelBar() {
  const { threadId } = useCursor();
  return <Bar key={threadId} />;
}

function Bar() {
  const { last, a, b, change } = useCursor();
  const { at, move } = useMoves();
  const timeline = useTimeline();
  const [isOpen, fold] = useOpen();
  const chart = useChart(timeline);
  const { versions: stops } = useHits();
  const play = usePlay({ at, course: chart.course, stops, onMove: move });
  const { again, jump, missing, notice, reset } = useJumps(timeline, at, (version, options) => {
    play.stop();
    move(version, options);
  });
  const go = (version: number, options?: MoveOptions): void => {
    play.stop();
    reset();
    move(version, options);
  };
  const pin = (name: "a" | "b"): void => {
    change({ [name]: { a, b }[name] === at ? undefined : at });
  };
  const { show, isZoomed } = chart;
  const zoomBy = (factor: number): void => {
    chart.zoomBy(factor, at);
  };
  useShortcuts(
    "Travel",
    travelKeys({
      ...{ at, last, go, jump, again, pin, play },
      ...{ zoomBy, show, isZoomed, fold },
    }),
  );
  const slider = <Slider chart={chart} at={at} onMove={go} />;
  return (
    <section className={styles["bar"]} data-open={isOpen} aria-label="Travel">
      <div className={styles["controls"]}>
        <Controls
          {...{ at, last, play, missing }}
          onMove={go}
          onJump={jump}
          pins={{ a, b }}
          onPin={pin}
        />
        <button
          type="button"
          className="quiet"
          aria-expanded={isOpen}
          title={isOpen ? "Fold to one line (z)" : "Open the timeline (z)"}
          onClick={fold}
        >
          Timeline <span aria-hidden>{isOpen ? "▴" : "▾"}</span>
        </button>
        {!isOpen && slider}
        <Notices {...{ chart, notice, isOpen }} />
      </div>
      {isOpen && (
        <>
          {slider}
          <TimeChart chart={chart} at={at} onGo={go} />
          <Here chart={chart} at={at} />
        </>
      )}
    </section>
  );
}

interface NoticesProps {
  readonly chart: Chart;
  readonly notice: string;
  readonly isOpen: boolean;
}

/** Why a jump went nowhere, how far the timeline is read, and the way out of a zoom. */
function Notices({ chart, notice, isOpen }: NoticesProps) {
  const { last, beyond } = useCursor();
  const { isComplete, loadedTo } = useTimeline();
  return (
    <>
      <span className={styles["notice"]} role="status">
        {notice}
        {beyond !== null &&
          `There is no version ${count(beyond)}: this is the last, ${count(last)}`}
      </span>
      {!isComplete && (
        <span>
          Reading: {count(loadedTo)} of {countOf(last, "event")}
        </span>
      )}
      {isOpen && isComplete && !chart.course.isTimed && (
        <span>All messages have the same time: drawn in their order</span>
      )}
      {chart.isZoomed && (
        <button
          type="button"
          title="Show the whole timeline (Escape)"
          onClick={() => {
            chart.show(null);
          }}
        >
          Zoom out
        </button>
      )}
    </>
  );
}

interface SliderProps {
  readonly chart: Chart;
  readonly at: number;
  readonly onMove: (version: number, options?: MoveOptions) => void;
}

/** The slider over all versions, with what is marked on it. */
function Slider({ chart: { timeline: drawn }, at, onMove }: SliderProps) {
  const { last, a, b } = useCursor();
  const { versions: hits } = useHits();
  const words = useWords(at);
  const marks = useMemo(
    () => ({
      failed: withMark(drawn, "failed"),
      told: withMark(drawn, "told"),
      suspected: withMark(drawn, "suspected"),
      approvals: withMark(drawn, "approval"),
      hits,
      a,
      b,
    }),
    [drawn, hits, a, b],
  );
  return <Scrubber at={at} last={last} words={words} marks={marks} onMove={onMove} />;
}

/** What happened at the cursor, and what the run waited for. */
function Here({ chart: { critical }, at }: { chart: Chart; at: number }) {
  const words = useWords(at);
  return (
    <div className={styles["here"]}>
      <span>{words === "" ? "" : `v${at} · ${words}`}</span>
      <span title="The calls that the end waited for, one after another: underlined in the chart">
        {criticalText(critical)}
      </span>
    </div>
  );
}

function useWords(at: number): string {
  const timeline = useTimeline();
  return useMemo(() => versionText(timeline.at(at), at), [timeline, at]);
}
