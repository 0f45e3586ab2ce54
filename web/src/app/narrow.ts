import { useSyncExternalStore } from "react";

/** Widths of the window in pixels; the style sheets have the same two, and the height below. */
export const PHONE = 720;
/** Below this width a thread's screen has room for one pane. */
export const ONE_PANE = 900;

/** Height of the window in pixels: below it, as at 200 %, rows are close and headers one line. */
export const LOW = 600;

export function isNarrow(below: number): boolean {
  return matchMedia(`(width < ${below}px)`).matches;
}

/** Whether the window is narrower than a width, also after it is resized. */
export function useNarrow(below: number): boolean {
  return useMedia(`(width < ${below}px)`);
}

/** Whether the window is lower than a height, also after it is resized. */
export function useLow(below: number): boolean {
  return useMedia(`(height < ${below}px)`);
}

function useMedia(media: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(media);
      query.addEventListener("change", listener);
      return () => {
        query.removeEventListener("change", listener);
      };
    },
    () => matchMedia(media).matches,
  );
}
