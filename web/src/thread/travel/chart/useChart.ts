import { useDeferredValue, useMemo, useState } from "react";
import { useCursor } from "../../cursor";
import type { ThreadTimeline } from "../../timeline/timeline";
import { type Course, courseOf } from "../course";
import { type Axis, axisOf, type Range, rangeIn, scaled, zoomTo } from "./axis";
import { type Row, rowsOf } from "./lanes";

/** A timeline redraws once it has grown by this factor while it is read. */
const GROWTH = 1.5;

/** What the chart draws: the spans in their lanes, by time, and the part of the axis in sight. */
export interface Chart {
  readonly timeline: ThreadTimeline;
  readonly course: Course;
  readonly axis: Axis;
  readonly rows: readonly Row[];
  readonly range: Range;
  readonly isZoomed: boolean;
  /** Shows a part of the axis; null for all of it. */
  readonly show: (range: Range | null) => void;
  /** Scales the part in sight around a version. */
  readonly zoomBy: (factor: number, version: number) => void;
}

/** The chart of a timeline; its zoom is part of the address. */
export function useChart(timeline: ThreadTimeline): Chart {
  const { address, last, change } = useCursor();
  const { zoom } = address;
  const drawn = useDrawn(timeline);
  const course = useMemo(() => courseOf(drawn, last), [drawn, last]);
  const axis = useMemo(() => axisOf(course.times), [course]);
  const rows = useMemo(() => rowsOf(drawn, course, axis), [drawn, course, axis]);
  const range = useMemo(
    () => rangeIn(zoom, axis) ?? { from: 0, to: axis.length || 1 },
    [zoom, axis],
  );
  const show = (part: Range | null): void => {
    const isAll = part === null || part.to - part.from >= axis.length;
    change({ zoom: isAll ? undefined : zoomTo(part, axis) });
  };
  const zoomBy = (factor: number, version: number): void => {
    show(scaled(range, factor, axis.toUnit(course.times[version] ?? 0), axis));
  };
  return { timeline: drawn, course, axis, rows, range, isZoomed: zoom !== undefined, show, zoomBy };
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
