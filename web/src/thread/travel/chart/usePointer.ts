import { type PointerEvent, useState } from "react";
import { cost } from "../../../parts/format";
import type { Span } from "../../timeline/timeline";
import { type Course, versionAt } from "../course";
import { barText, placeText } from "../texts";
import type { Range } from "./axis";
import { barAt, type Row } from "./lanes";
import { costUpTo } from "./spending";
import type { Chart } from "./useChart";

/** Pixels: a shorter drag is a click, and a click this near to a bar selects it. */
const SLACK = 4;

/** A drag over the chart; both ends are shares of its width. */
export interface Drag {
  readonly from: number;
  readonly to: number;
}

/** The pointer on the chart: a press goes to a version, a drag zooms, and what is under it. */
export function usePointer(chart: Chart, onGo: (version: number) => void) {
  const { timeline, course, axis, spending, range, show } = chart;
  const [drag, setDrag] = useState<Drag | null>(null);
  const [hover, setHover] = useState<{ share: number; text: string } | null>(null);
  const costAt = (unit: number): string => {
    const usd = spending === null ? null : costUpTo(spending, unit);
    return usd === null ? "" : ` · ${cost(usd, spending?.computedCalls)} so far`;
  };
  /** The handlers of a track with these rows. */
  const of = (rows: readonly Row[]) => {
    const target = (event: PointerEvent) => {
      const box = event.currentTarget.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      const unit = unitOn(range, share);
      const down = event.clientY - box.top;
      const row = rows.find(({ top, height }) => top <= down && down < top + height);
      const slack = (SLACK / box.width) * (range.to - range.from);
      const bar = row === undefined ? null : barAt(row, unit, slack);
      const span = bar === null ? undefined : timeline.span(row?.spans[bar] ?? 0);
      return { share, unit, span, width: box.width };
    };
    const press = (event: PointerEvent): void => {
      const { unit, span } = target(event);
      const time = axis.toTime(unit);
      onGo(span === undefined ? versionAt(course, time) : nearestEnd(span, time, course));
    };
    return {
      onPointerDown: (event: PointerEvent): void => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const { share } = target(event);
        setDrag({ from: share, to: share });
      },
      onPointerMove: (event: PointerEvent): void => {
        const { share, unit, span } = target(event);
        if (drag !== null) setDrag({ ...drag, to: share });
        const text =
          span === undefined ? placeText(unit, axis, course) + costAt(unit) : barText(span, course);
        setHover({ share, text });
      },
      onPointerUp: (event: PointerEvent): void => {
        if (drag === null) return;
        setDrag(null);
        setHover(null);
        const { share, width } = target(event);
        const [from, to] = [Math.min(drag.from, share), Math.max(drag.from, share)];
        if ((to - from) * width < SLACK) press(event);
        else show({ from: unitOn(range, from), to: unitOn(range, to) });
      },
      onPointerCancel: (): void => {
        setDrag(null);
      },
      onPointerLeave: (): void => {
        setHover(null);
      },
      onDoubleClick: (): void => {
        show(null);
      },
    };
  };
  return { drag, hover, of };
}

function unitOn(range: Range, share: number): number {
  return range.from + share * (range.to - range.from);
}

function nearestEnd(span: Span, time: number, { times }: Course): number {
  const from = span.from ?? span.to ?? 1;
  const to = span.to ?? from;
  return time - (times[from] ?? 0) <= (times[to] ?? 0) - time ? from : to;
}
