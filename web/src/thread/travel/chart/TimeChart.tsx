import { useCallback } from "react";
import { Canvas, type Drawing } from "../Canvas";
import { summaryText } from "../texts";
import styles from "../Travel.module.css";
import { drawChart } from "./chart";
import { drawFoot, SPENDING, TICKS } from "./foot";
import { LaneName } from "./LaneName";
import { ROW } from "./lanes";
import type { Chart } from "./useChart";
import { type Drag, usePointer } from "./usePointer";

/** Rows that are in sight at once; further ones scroll. */
const MOST_IN_SIGHT = 12;

interface TimeChartProps {
  readonly chart: Chart;
  readonly at: number;
  readonly onGo: (version: number) => void;
}

/** The thread by time: bars in lanes, long pauses cut, and what was spent. */
export function TimeChart({ chart, at, onGo }: TimeChartProps) {
  const { timeline, course, axis, lanes, critical, alike, spending, range } = chart;
  const { isTimed } = course;
  const rows = lanes.flatMap((lane) => lane.rows);
  const height = rows.reduce((sum, row) => sum + row.height, 0);
  const { drag, hover, of } = usePointer(chart, onGo);
  const draw = useCallback(
    (drawing: Drawing) => {
      const drawn = lanes.flatMap((lane) => lane.rows);
      const bars = { timeline, rows: drawn, critical: critical.spans, alike };
      drawChart(drawing, { axis, range, isTimed }, bars);
    },
    [timeline, lanes, critical, alike, axis, range, isTimed],
  );
  const drawBelow = useCallback(
    (drawing: Drawing) => {
      drawFoot(drawing, { axis, range, isTimed }, spending);
    },
    [spending, axis, range, isTimed],
  );
  const cursor = (axis.toUnit(course.times[at] ?? 0) - range.from) / (range.to - range.from);
  const over = <Over cursor={cursor} drag={drag} />;
  return (
    <div className={styles["chart"]}>
      <div
        className={styles["rows"]}
        style={{ maxHeight: MOST_IN_SIGHT * ROW }}
        data-scrolls={height > MOST_IN_SIGHT * ROW}
      >
        <div className={styles["lanes"]}>
          {lanes.map((lane) => (
            <LaneName key={lane.lane} lane={lane} />
          ))}
        </div>
        <div
          className={styles["track"]}
          role="img"
          aria-label={summaryText(
            timeline,
            course,
            lanes.map(({ lane }) => lane),
          )}
          {...of(rows)}
        >
          <Canvas height={height} draw={draw} />
          {over}
        </div>
      </div>
      <div className={styles["foot"]}>
        <div className={styles["lanes"]} aria-hidden="true">
          {spending !== null && <span data-of="tokens">tokens</span>}
          {spending !== null && spending.wholeCost > 0 && <span data-of="cost">cost</span>}
        </div>
        <div className={styles["track"]} {...of([])}>
          <Canvas height={(spending === null ? 0 : SPENDING) + TICKS} draw={drawBelow} />
          {over}
        </div>
      </div>
      {hover !== null && (
        <div className={styles["over"]}>
          <div
            className={styles["hover"]}
            style={{
              [hover.share > 0.5 ? "right" : "left"]:
                `${Math.min(hover.share, 1 - hover.share) * 100}%`,
            }}
          >
            {hover.text}
          </div>
        </div>
      )}
    </div>
  );
}

/** Where the cursor is, as a share of the track, and the part that is being selected. */
function Over({ cursor, drag }: { cursor: number; drag: Drag | null }) {
  return (
    <>
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
    </>
  );
}
