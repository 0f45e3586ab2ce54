import { type Shortcut, useShortcuts } from "../../app/keyboard";
import { ONE_PANE, useNarrow } from "../../app/narrow";
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
