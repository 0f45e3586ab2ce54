const KEPT = "agentlog.timeline";
/** Where the window is lower, in pixels, the timeline is closed unless the reader opened it. */
const LOW = 600;

/** Whether the slider and the timeline are open: as the reader left them, else where there is room. */
export function isOpenAtFirst(): boolean {
  const kept = localStorage.getItem(KEPT);
  return kept === null ? !matchMedia(`(height < ${LOW}px)`).matches : kept === "open";
}

export function keepOpen(isOpen: boolean): void {
  localStorage.setItem(KEPT, isOpen ? "open" : "closed");
}
