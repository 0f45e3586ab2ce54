import type { MouseEvent } from "react";

/** Whether a click means the place it is on: no button in it, and no text that is selected. */
export function isPress({ target }: MouseEvent): boolean {
  if (!(target instanceof Element) || target.closest("button, a, summary, input") !== null)
    return false;
  return getSelection()?.isCollapsed !== false;
}
