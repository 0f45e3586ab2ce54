import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useRef } from "react";
import { PAGE_ROWS, type Sight, type ThreadRows } from "./threadRows";

const HEAD_HEIGHT = 30;
export const ROW_HEIGHT = 32;
const CARD_HEIGHT = 78;
/** Placeholder rows before the first answer. */
const UNKNOWN_ROWS = 30;
/** A scroll of more pages loads rows only once it stops. */
const NEAR_PAGES = 2;

interface WindowOptions {
  readonly rows: ThreadRows;
  /** Names filters and order: another list begins at its top. */
  readonly list: string;
  readonly held: number | null;
  /** Called with the pages in sight, or the position at which the list is held. */
  readonly look: (part: Partial<Sight>) => void;
  readonly isNarrow: boolean;
  /** Row, from 1, that is shown first. */
  readonly row: number | undefined;
}

/** Windows the rows: loads the pages in sight, and holds a list that is scrolled. */
export function useWindow(
  scroller: RefObject<HTMLDivElement | null>,
  { rows, list, held, look, isNarrow, row }: WindowOptions,
): Virtualizer<HTMLDivElement, Element> {
  const latest = useRef({ asOf: rows.asOf, held, page: 0 });
  useEffect(() => {
    latest.current.asOf = rows.asOf;
    latest.current.held = held;
  });
  const headHeight = isNarrow ? 0 : HEAD_HEIGHT;
  const height = isNarrow ? CARD_HEIGHT : ROW_HEIGHT;
  const windowed = useVirtualizer<HTMLDivElement, Element>({
    count: rows.total ?? (rows.error === null ? UNKNOWN_ROWS : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 10,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    onChange: ({ range, isScrolling, scrollOffset }) => {
      if (range === null) return;
      const first = Math.floor(range.startIndex / PAGE_ROWS);
      const last = Math.floor(range.endIndex / PAGE_ROWS);
      if (!isScrolling || Math.abs(first - latest.current.page) <= NEAR_PAGES) {
        latest.current.page = first;
        look({ first, last });
      }
      if ((scrollOffset ?? 0) <= 0) look({ held: null });
      else if (latest.current.held === null) look({ held: latest.current.asOf });
    },
  });
  useEffect(() => {
    windowed.measure();
  }, [height, windowed]);

  const latestList = useRef<string | null>(null);
  const isKnown = rows.total !== null;
  useEffect(() => {
    if (!isKnown || latestList.current === list) return;
    const isFirst = latestList.current === null;
    latestList.current = list;
    if (!isFirst) windowed.scrollToOffset(0);
    else if (row !== undefined) windowed.scrollToIndex(row - 1, { align: "center" });
  }, [isKnown, list, row, windowed]);
  return windowed;
}
