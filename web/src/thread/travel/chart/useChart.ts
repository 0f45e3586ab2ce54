import { useDeferredValue, useMemo, useState } from "react";
import { useCursor } from "../../cursor";
import type { ThreadTimeline } from "../../timeline/timeline";
import { type Course, courseOf } from "../course";
import { type Axis, axisOf, type Range, rangeIn, scale, zoomTo } from "./axis";
import { type CriticalPath, criticalPath } from "./critical";
import { alikeIn } from "./labels";
import { type LaneRows, lanesOf } from "./lanes";
import { type Spending, spendingOf } from "./spending";

/** A timeline redraws once it has grown by this factor while it is read. */
const GROWTH = 1.5;
const NONE: readonly string[] = [];

/** What the chart draws: the spans in their lanes, by time, and the part of the axis in sight. */
export interface Chart {
  readonly timeline: ThreadTimeline;
  readonly course: Course;
  readonly axis: Axis;
  readonly lanes: readonly LaneRows[];
  readonly critical: CriticalPath;
  /** Versions whose calls are told apart by their hints. */
  readonly alike: ReadonlySet<number>;
  readonly spending: Spending | null;
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
  const { zoom, lanes: folded = NONE } = address;
  const drawn = useDrawn(timeline);
  const course = useMemo(() => courseOf(drawn, last), [drawn, last]);
  const axis = useMemo(() => axisOf(course), [course]);
  const lanes = useMemo(() => lanesOf(drawn, course, axis, folded), [drawn, course, axis, folded]);
  const critical = useMemo(() => criticalPath(drawn, course), [drawn, course]);
  const alike = useMemo(() => alikeIn(drawn), [drawn]);
  const spending = useMemo(() => spendingOf(drawn, course, axis), [drawn, course, axis]);
  const range = useMemo(
    () => rangeIn(zoom, axis) ?? { from: 0, to: axis.length || 1 },
    [zoom, axis],
  );
  const show = (part: Range | null): void => {
    const isAll = part === null || part.to - part.from >= axis.length;
    change({ zoom: isAll ? undefined : zoomTo(part, axis) });
  };
  const zoomBy = (factor: number, version: number): void => {
    show(scale(range, factor, axis.toUnit(course.times[version] ?? 0), axis));
  };
  return {
    ...{ timeline: drawn, course, axis, lanes, critical, alike, spending },
    ...{ range, isZoomed: zoom !== undefined, show, zoomBy },
  };
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
