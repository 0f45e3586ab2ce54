import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ThreadsAddress } from "../address";
import type { ThreadRows } from "./threadRows";

/** A row that was selected, and its thread, which may have moved since. */
interface Selection {
  readonly index: number;
  readonly threadId?: string | undefined;
}

/** The selected row; another list begins without one. */
export function useSelection(
  rows: ThreadRows,
  list: string,
  address: ThreadsAddress,
  total: number,
) {
  const navigate = useNavigate();
  const [selection, setSelection] = useState<Selection | null>(
    address.row === undefined ? null : { index: address.row - 1 },
  );
  const [latestList, setLatestList] = useState(list);
  if (latestList !== list) {
    setLatestList(list);
    setSelection(null);
  }
  return {
    selected: selection === null ? null : rowIndex(selection, rows),
    /** Selects the row, or the nearest, and returns its index; null before the list is known. */
    select: (index: number): number | null => {
      if (rows.total === null) return null;
      const to = Math.max(0, Math.min(index, total - 1));
      setSelection({ index: to, threadId: rows.rowAt(to)?.threadId });
      return to;
    },
    open: async (index: number): Promise<void> => {
      const row = rows.rowAt(index);
      if (row === undefined) return;
      setSelection({ index, threadId: row.threadId });
      // the row is stored in the list's address first, so that Back returns to it
      await navigate({ to: "/", search: { ...address, row: index + 1 }, replace: true });
      await navigate({
        to: "/threads/$threadId",
        params: { threadId: row.threadId },
        search: row.hidden ? { hidden: true } : {},
      });
    },
  };
}

/** Where the selected thread is. */
function rowIndex({ index, threadId }: Selection, rows: ThreadRows): number {
  if (threadId === undefined || rows.rowAt(index)?.threadId === threadId) return index;
  return rows.indexOf(threadId) ?? index;
}
