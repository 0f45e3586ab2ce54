import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect } from "react";
import type { Line } from "./folding";

const FOLD_HEIGHT = 34;
const ROW_HEIGHT = 110;
/** Lines before the end of what is loaded: nearer than this, more is read. */
const NEAR = 20;

/** The lines in sight; the current row is scrolled into sight when it changes. */
export function useAlignmentWindow(
  scroller: RefObject<HTMLElement | null>,
  lines: readonly Line[],
  current: number | undefined,
  onNear: () => void,
) {
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => {
      const line = lines[index];
      return line === undefined ? String(index) : `${line.kind} ${line.row}`;
    },
    estimateSize: (index) => (lines[index]?.kind === "fold" ? FOLD_HEIGHT : ROW_HEIGHT),
    overscan: 6,
    scrollPaddingStart: 48,
  });
  const wanted = lines.findIndex(({ kind, row }) => kind === "row" && row === current);
  useEffect(() => {
    if (wanted >= 0) list.scrollToIndex(wanted, { align: "start" });
    // only where the row changes: an unfolded run must not move the reader
  }, [current, wanted >= 0]); // eslint-disable-line react-hooks/exhaustive-deps
  const drawn = list.getVirtualItems();
  const isNear = (drawn.at(-1)?.index ?? 0) + NEAR >= lines.length;
  useEffect(() => {
    if (isNear) onNear();
  });
  return { drawn, height: list.getTotalSize(), measure: list.measureElement };
}
