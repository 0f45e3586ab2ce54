import { type PointerEvent, useCallback, useMemo, useRef, useState } from "react";
import type { Span, Timeline } from "../../timeline/timeline";
import { type Axis, type Range } from "./axis";
import { Canvas, type Drawing } from "../Canvas";
import { drawChart, ROW, TICKS } from "./chart";
import { type Course, versionAt } from "../course";
import { barAt, type Row } from "./lanes";
import { placed, summaryOf, barText } from "../said";
import styles from "../Travel.module.css";

/** Pixels: a shorter drag is a click, and a click this near to a bar selects it. */
const SLACK = 4;

interface TimeChartProps {
  readonly timeline: Timeline;
  readonly course: Course;
  readonly axis: Axis;
  readonly rows: readonly Row[];
  readonly range: Range;
  readonly at: number;
  readonly onGo: (version: number) => void;
  /** Shows a part of the axis; null for all of it. */
  readonly onZoom: (range: Range | null) => void;
}

interface Drag {
  readonly from: number;
  readonly to: number;
}

/** The thread by time: bars in lanes, long pauses cut. Press to go there, drag to zoom. */
export function TimeChart(props: TimeChartProps) {
  const { timeline, course, axis, rows, range, at, onGo, onZoom } = props;
  const track = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [hover, setHover] = useState<{ share: number; text: string } | null>(null);
  const { isTimed } = course;
  const draw = useCallback(
    (drawing: Drawing) => {
      drawChart(drawing, { timeline, rows, axis, range, isTimed });
    },
    [timeline, rows, axis, range, isTimed],
  );
  const height = rows.length * ROW + TICKS;
  const labels = useMemo(() => laneLabels(rows), [rows]);
  const cursor = (axis.toUnit(course.times[at] ?? 0) - range.from) / (range.to - range.from);

  const pointed = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    const unit = range.from + share * (range.to - range.from);
    const row = rows[Math.floor((event.clientY - box.top) / ROW)];
    const slack = (SLACK / box.width) * (range.to - range.from);
    const bar = row === undefined ? null : barAt(row, unit, slack);
    const span = bar === null ? undefined : timeline.span(row?.spans[bar] ?? 0);
    return { share, unit, span, width: box.width };
  };
  const press = (event: PointerEvent): void => {
    const { unit, span } = pointed(event);
    const time = axis.toTime(unit);
    onGo(span === undefined ? versionAt(course, time) : nearestEnd(span, time, course));
  };

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
        aria-label={summaryOf(
          timeline,
          course,
          labels.map(({ lane }) => lane),
        )}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const { share } = pointed(event);
          setDrag({ from: share, to: share });
        }}
        onPointerMove={(event) => {
          const { share, unit, span } = pointed(event);
          if (drag !== null) setDrag({ ...drag, to: share });
          setHover({
            share,
            text: span === undefined ? placed(unit, axis, course) : barText(span, course),
          });
        }}
        onPointerUp={(event) => {
          if (drag === null) return;
          setDrag(null);
          setHover(null);
          const { share, width } = pointed(event);
          const [from, to] = [Math.min(drag.from, share), Math.max(drag.from, share)];
          if ((to - from) * width < SLACK) press(event);
          else onZoom({ from: unitOn(range, from), to: unitOn(range, to) });
        }}
        onPointerCancel={() => {
          setDrag(null);
        }}
        onPointerLeave={() => {
          setHover(null);
        }}
        onDoubleClick={() => {
          onZoom(null);
        }}
      >
        <Canvas height={height} draw={draw} />
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

function unitOn(range: Range, share: number): number {
  return range.from + share * (range.to - range.from);
}

function nearestEnd(span: Span, time: number, { times }: Course): number {
  const from = span.from ?? span.to ?? 1;
  const to = span.to ?? from;
  return time - (times[from] ?? 0) <= (times[to] ?? 0) - time ? from : to;
}

function laneLabels(rows: readonly Row[]): { lane: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { lane } of rows) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return [...counts].map(([lane, count]) => ({ lane, count }));
}
