import { useSyncExternalStore } from "react";

const NARROW = "(width < 900px)";

/** Whether there is room for one pane only. */
export function isNarrow(): boolean {
  return matchMedia(NARROW).matches;
}

export function useNarrow(): boolean {
  return useSyncExternalStore((listener) => {
    const query = matchMedia(NARROW);
    query.addEventListener("change", listener);
    return () => {
      query.removeEventListener("change", listener);
    };
  }, isNarrow);
}
