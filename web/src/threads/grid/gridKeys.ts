import type { KeyboardEvent } from "react";
import { useShortcuts } from "../../app/keyboard";

interface GridKeys {
  /** Index of the selected row, if there is one. */
  readonly selected: number | null;
  readonly total: number;
  /** Rows that are in sight together. */
  readonly screenful: () => number;
  readonly select: (index: number) => void;
  readonly open: (index: number) => void;
  readonly tick: (index: number) => void;
}

/**
 * The keys of the list: some act on the whole screen, the rest where the list has the focus, which
 * a step gives it.
 */
export function useGridKeys(grid: GridKeys): (event: KeyboardEvent<HTMLElement>) => void {
  const { selected, total, screenful, select } = grid;
  const step = (by: number) => (): void => {
    select(selected === null ? 0 : selected + by);
  };
  const on = (act: (index: number) => void) => (): void => {
    if (selected !== null) act(selected);
  };
  useShortcuts("Threads", [
    { key: "ArrowDown", does: "next thread; Enter opens it", run: step(1) },
    { key: "ArrowUp", does: "thread before", run: step(-1) },
    { key: "j", does: "next thread", run: step(1) },
    { key: "k", does: "thread before", run: step(-1) },
    { key: "x", does: "tick the thread, to compare", run: on(grid.tick) },
  ]);
  const own: Record<string, () => void> = {
    Home: () => {
      select(0);
    },
    End: () => {
      select(total - 1);
    },
    PageDown: () => {
      step(screenful())();
    },
    PageUp: () => {
      step(-screenful())();
    },
    Enter: on(grid.open),
    " ": on(grid.tick),
  };
  return (event) => {
    const act = event.target === event.currentTarget ? own[event.key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
}
