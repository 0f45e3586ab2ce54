import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, type UIEvent, useCallback, useLayoutEffect, useRef } from "react";
import { useCursor } from "../cursor";
import type { Row, Rows } from "./rows";

/** Pixels from the end: nearer than this, the list follows a growing thread. */
const NEAR = 40;

/** Heights of rows in pixels; those that are measured too are estimates until a row is drawn. */
export interface Heights {
  readonly of: (row: Row) => number;
  readonly areMeasured: boolean;
}

/**
 * The rows in sight, and what keeps the reader's place: the cursor's row is scrolled into sight,
 * rows that change above do not move those in sight, and the end of a growing thread is followed.
 */
export function useEventWindow(
  scroller: RefObject<HTMLElement | null>,
  rows: Rows,
  heights: Heights,
) {
  const { at, isAtEnd } = useCursor();
  const { areMeasured } = heights;
  const scroll = useRef({ first: 0, offset: 0, isAtBottom: true });
  // a new function makes the list measure all rows anew: 11 ms for 20,000
  const getItemKey = useCallback((index: number) => keyOf(rows.row(index)), [rows]);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights.of(rows.row(index)),
    getItemKey,
    overscan: areMeasured ? 4 : 12,
  });
  const current = rows.indexOf(at);
  const height = list.getTotalSize();

  const isLed = useRef(true); // the cursor moved last, not the reader
  const isInSight = useRef(false); // the reader pressed on the row that the cursor goes to
  const wasAtEnd = useRef<boolean | null>(null);
  useLayoutEffect(() => {
    // a reader who scrolled away from the end stays there
    if (isAtEnd && wasAtEnd.current === true && !scroll.current.isAtBottom) return;
    const align = isAtEnd ? "end" : wasAtEnd.current === null ? "center" : "auto";
    wasAtEnd.current = isAtEnd;
    isLed.current = !isInSight.current;
    isInSight.current = false;
    if (current >= 0 && isLed.current) list.scrollToIndex(current, { align });
  }, [list, current, isAtEnd]);

  useLayoutEffect(() => {
    if (!areMeasured) list.measure();
    const { first, offset, isAtBottom } = scroll.current;
    if (isAtBottom && wasAtEnd.current === true) {
      list.scrollToIndex(rows.length - 1, { align: "end" });
    } else if (first > 0) {
      const top = list.measurementsCache[Math.max(0, rows.indexOf(first))];
      if (top !== undefined) list.scrollToOffset(top.start + offset);
    }
  }, [list, rows, heights, areMeasured]);

  useLayoutEffect(() => {
    // contents come and rows grow: the cursor's stays in sight until the reader goes elsewhere
    if (!areMeasured || !isLed.current || current < 0) return;
    list.scrollToIndex(current, { align: isAtEnd ? "end" : "auto" });
  }, [list, areMeasured, current, isAtEnd, height]);

  const keepPlace = ({ currentTarget }: UIEvent<HTMLElement>): void => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget;
    const top = list.getVirtualItemForOffset(scrollTop);
    if (top === undefined) return;
    scroll.current = {
      first: rows.row(top.index).first,
      offset: scrollTop - top.start,
      isAtBottom: scrollHeight - clientHeight - scrollTop < NEAR,
    };
  };
  return {
    drawn: list.getVirtualItems(),
    height,
    measure: list.measureElement,
    keepPlace,
    leave: () => {
      isLed.current = false;
    },
    stay: () => {
      isInSight.current = true;
    },
  };
}

function keyOf({ first, isOpen }: Row): string {
  return isOpen === null ? `${first}` : `run ${first}`;
}
