import { PHONE, useLow, useNarrow } from "../../app/narrow";
import { useCursor } from "../cursor";

const KEPT = "agentlog.timeline";
/** Where the window is lower, in pixels, the bar is one line: twelve events are in sight then. */
const LOW = 760;

/**
 * Whether the timeline is open, and a function that folds it to one line or opens it: as the
 * address says, else as the reader left it, but in a small window folded.
 */
export function useOpen(): readonly [isOpen: boolean, toggle: () => void] {
  const { address, change } = useCursor();
  const isLow = useLow(LOW);
  const isSmall = useNarrow(PHONE) || isLow;
  const isUsual = !isSmall && localStorage.getItem(KEPT) !== "line";
  const isOpen = address.bar === undefined ? isUsual : address.bar === "open";
  const toggle = (): void => {
    const bar = isOpen ? "line" : "open";
    if (!isSmall) localStorage.setItem(KEPT, bar);
    change({ bar }, { replace: true });
  };
  return [isOpen, toggle];
}
