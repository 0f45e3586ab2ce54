import { useState } from "react";
import { PHONE, useLow, useNarrow } from "../../app/narrow";

const KEPT = "agentlog.why";
/** Where the window is lower, in pixels, the card is one line: the history needs the room. */
const LOW = 760;

/** Whether the card is open, and a function that folds or opens it: as the reader left it last. */
export function useOpen(): readonly [isOpen: boolean, toggle: () => void] {
  const isLow = useLow(LOW);
  const isSmall = useNarrow(PHONE) || isLow;
  const [chosen, choose] = useState<boolean | null>(null);
  const isOpen = chosen ?? (!isSmall && localStorage.getItem(KEPT) !== "line");
  const toggle = (): void => {
    if (!isSmall) localStorage.setItem(KEPT, isOpen ? "line" : "open");
    choose(!isOpen);
  };
  return [isOpen, toggle];
}
