import { type Shortcut, useShortcuts } from "../../app/keyboard";
import { useCallback } from "react";
import { isNarrow, ONE_PANE, useNarrow } from "../../app/narrow";
import { useCursor } from "../cursor";
import { nextRow, type Rows } from "./rows";

/** The keys of the list: the next row, the row before, and on a phone the event of this row. */
export function useRowKeys(rows: Rows, choose: (version: number) => void): void {
  const { at, go } = useCursor();
  const isOnePane = useNarrow(ONE_PANE);
  const step = (key: string, by: 1 | -1): Shortcut => ({
    key,
    does: by === 1 ? "next row" : "row before",
    run: () => {
      const index = nextRow(rows, at, by);
      if (index !== null) go(rows.row(index).last, { replace: true });
    },
  });
  const open: Shortcut = {
    key: "Enter",
    does: "open the event",
    run: () => {
      choose(at);
    },
  };
  useShortcuts("History", [
    step("j", 1),
    step("k", -1),
    step("ArrowDown", 1),
    step("ArrowUp", -1),
    ...(isOnePane ? [open] : []),
  ]);
}

/** Puts the cursor on an event; on a phone its pane is opened too. */
export function useChoose(): (version: number) => void {
  const { go, change } = useCursor();
  return useCallback(
    (version) => {
      if (isNarrow(ONE_PANE)) change({ at: version, pane: "event" });
      else go(version);
    },
    [change, go],
  );
}
