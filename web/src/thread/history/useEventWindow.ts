import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, type UIEvent, useLayoutEffect, useRef } from "react";
import { useCursor } from "../cursor";
import type { ThreadTimeline } from "../timeline/timeline";
import { WORKER_HEIGHT } from "./row/WorkerEvents";
import { MOST_LINES, type Rows } from "./rows";

const LINE_HEIGHT = 20;
const PADDING = 8;
/** Pixels from the end: nearer than this, the list follows a growing thread. */
const NEAR = 40;

/**
 * The rows in sight, and what keeps the reader's place: the cursor's row is scrolled into sight,
 * rows that change above do not move those in sight, and the end of a growing thread is followed.
 */
export function useEventWindow(
  scroller: RefObject<HTMLElement | null>,
  rows: Rows,
  timeline: ThreadTimeline,
  unfolded: ReadonlySet<number>,
) {
  const { at, isAtEnd } = useCursor();
  const place = useRef({ first: 0, offset: 0, isAtBottom: true });
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const { first, isOpen } = rows.row(index);
      const lines = isOpen === null ? timeline.callsAt(first) : 1;
      const more = lines > MOST_LINES ? MOST_LINES + 1 : lines;
      const below = isOpen === null && unfolded.has(first) ? WORKER_HEIGHT : 0;
      return PADDING + LINE_HEIGHT * Math.max(1, more) + below;
    },
    overscan: 12,
  });
  const current = rows.indexOf(at);

  const wasAtEnd = useRef<boolean | null>(null);
  useLayoutEffect(() => {
    // a reader who scrolled away from the end stays there
    if (isAtEnd && wasAtEnd.current === true && !place.current.isAtBottom) return;
    const align = isAtEnd ? "end" : wasAtEnd.current === null ? "center" : "auto";
    wasAtEnd.current = isAtEnd;
    if (current >= 0) list.scrollToIndex(current, { align });
  }, [list, current, isAtEnd]);

  useLayoutEffect(() => {
    list.measure();
    const { first, offset, isAtBottom } = place.current;
    if (isAtBottom && wasAtEnd.current === true) {
      list.scrollToIndex(rows.length - 1, { align: "end" });
    } else if (first > 0) {
      const top = list.measurementsCache[Math.max(0, rows.indexOf(first))];
      if (top !== undefined) list.scrollToOffset(top.start + offset);
    }
  }, [list, rows, unfolded]);

  const keepPlace = ({ currentTarget }: UIEvent<HTMLElement>): void => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget;
    const top = list.getVirtualItemForOffset(scrollTop);
    if (top === undefined) return;
    place.current = {
      first: rows.row(top.index).first,
      offset: scrollTop - top.start,
      isAtBottom: scrollHeight - clientHeight - scrollTop < NEAR,
    };
  };
  return { drawn: list.getVirtualItems(), height: list.getTotalSize(), keepPlace };
}
