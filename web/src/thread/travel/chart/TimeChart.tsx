import { useCallback, useMemo } from "react";
import { Canvas, type Drawing } from "../Canvas";
import { summaryText } from "../texts";
import styles from "../Travel.module.css";
import { drawChart, ROW, TICKS } from "./chart";
import type { Row } from "./lanes";
import type { Chart } from "./useChart";
import { usePointer } from "./usePointer";

interface TimeChartProps {
  readonly chart: Chart;
  readonly at: number;
  readonly onGo: (version: number) => void;
}

/** The thread by time: bars in lanes, long pauses cut. Press to go there, drag to zoom. */
export function TimeChart({ chart, at, onGo }: TimeChartProps) {
  const { timeline, course, axis, rows, range } = chart;
  const { isTimed } = course;
  const { track, drag, hover, handlers } = usePointer(chart, onGo);
  const draw = useCallback(
    (drawing: Drawing) => {
      drawChart(drawing, { timeline, rows, axis, range, isTimed });
    },
    [timeline, rows, axis, range, isTimed],
  );
  const labels = useMemo(() => laneLabels(rows), [rows]);
  const names = labels.map(({ lane }) => lane);
  const cursor = (axis.toUnit(course.times[at] ?? 0) - range.from) / (range.to - range.from);
  return (
    <div className={styles["chart"]}>
      <div className={styles["lanes"]} aria-hidden="true">
        {labels.map(({ lane, count }) => (
          <span key={lane} style={{ height: count * ROW }}>
            {lane}
          </span>
        ))}
      </div>
      <div
        ref={track}
        className={styles["track"]}
        role="img"
        aria-label={summaryText(timeline, course, names)}
        {...handlers}
      >
        <Canvas height={rows.length * ROW + TICKS} draw={draw} />
        {cursor >= 0 && cursor <= 1 && (
          <div className={styles["cursor"]} style={{ left: `${cursor * 100}%` }} />
        )}
        {drag !== null && (
          <div
            className={styles["selected"]}
            style={{
              left: `${Math.min(drag.from, drag.to) * 100}%`,
              width: `${Math.abs(drag.to - drag.from) * 100}%`,
            }}
          />
        )}
        {hover !== null && (
          <div
            className={styles["hover"]}
            style={{
              [hover.share > 0.5 ? "right" : "left"]:
                `${Math.min(hover.share, 1 - hover.share) * 100}%`,
            }}
          >
            {hover.text}
          </div>
        )}
      </div>
    </div>
  );
}

function laneLabels(rows: readonly Row[]): { lane: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { lane } of rows) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return [...counts].map(([lane, count]) => ({ lane, count }));
}
