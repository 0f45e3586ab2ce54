import { useNavigate } from "@tanstack/react-router";
import { type CSSProperties, useEffect, useRef, useState } from "react";
import type { Change, ThreadsAddress } from "../address";
import { chosenColumns, layout } from "./columns";
import { GridHead } from "./GridHead";
import { useGridKeys } from "./gridKeys";
import { ThreadRow } from "./ThreadRow";
import type { Sight, ThreadRows } from "./threadRows";
import styles from "./ThreadGrid.module.css";
import screen from "../ThreadsScreen.module.css";
import { Waiting } from "./Waiting";
import { ROW_HEIGHT, useWindow } from "./window";

const NOW_MS = 5000;

export interface ThreadGridProps {
  readonly rows: ThreadRows;
  /** Names filters and order: another list begins at its top. */
  readonly list: string;
  readonly sort: string;
  readonly held: number | null;
  /** Called with the pages in sight, or the position at which the list is held. */
  readonly look: (part: Partial<Sight>) => void;
  readonly isNarrow: boolean;
  readonly address: ThreadsAddress;
  readonly change: Change;
}

/** A row that was selected, and its thread, which may have moved since. */
interface Selection {
  readonly index: number;
  readonly threadId?: string | undefined;
}

/** The windowed rows of the list. On a phone they are cards. */
export function ThreadGrid(props: ThreadGridProps) {
  const { rows, list, sort, held, look, isNarrow, address, change } = props;
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  const windowed = useWindow(scroller, { rows, list, held, look, isNarrow, row: address.row });
  const total = windowed.options.count;

  const [selection, setSelection] = useState<Selection | null>(
    address.row === undefined ? null : { index: address.row - 1 },
  );
  const [shown, setShown] = useState(list);
  if (shown !== list) {
    setShown(list);
    setSelection(null);
  }
  const selected = selection === null ? null : place(selection, rows);
  const select = (index: number): void => {
    if (rows.total === null) return;
    const to = Math.max(0, Math.min(index, total - 1));
    setSelection({ index: to, threadId: rows.rowAt(to)?.threadId });
    windowed.scrollToIndex(to);
    scroller.current?.focus({ preventScroll: true });
  };
  const open = async (index: number): Promise<void> => {
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
  };
  const ticked = address.ticked ?? [];
  const tick = (index: number): void => {
    const id = rows.rowAt(index)?.threadId;
    if (id === undefined) return;
    const left = ticked.includes(id) ? ticked.filter((each) => each !== id) : [...ticked, id];
    change({ ticked: left.length > 0 ? left : undefined }, { replace: true });
  };
  const onKeyDown = useGridKeys({
    selected,
    total,
    screenful: () => Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2,
    select,
    open: (index) => void open(index),
    tick,
  });

  const columns = chosenColumns(address.columns);
  const { template, width } = layout(columns);
  const now = useNow();
  return (
    <div className={styles["frame"]}>
      <Waiting
        count={rows.waiting}
        onShow={() => {
          scroller.current?.scrollTo({ top: 0 });
          look({ held: null });
        }}
      />
      <div
        ref={scroller}
        className={screen["list"]}
        role="grid"
        aria-label="Threads"
        aria-rowcount={rows.total === null ? -1 : total + 1}
        aria-activedescendant={selected === null ? undefined : `row-${selected}`}
        aria-busy={rows.total === null}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={
          isNarrow
            ? undefined
            : ({ "--template": template, "--width": `${width}px` } as CSSProperties)
        }
      >
        <GridHead {...{ columns, sort, change, isNarrow }} />
        <div role="rowgroup" className={styles["rows"]} style={{ height: windowed.getTotalSize() }}>
          {windowed.getVirtualItems().map(({ index, start, size }) => {
            const row = rows.rowAt(index);
            return (
              <ThreadRow
                key={index}
                {...{ index, row, columns, isNarrow, now, size }}
                top={start - windowed.options.scrollMargin}
                isSelected={index === selected}
                isTicked={row !== undefined && ticked.includes(row.threadId)}
                isFresh={row !== undefined && row.position > rows.freshAfter}
                onOpen={() => void open(index)}
                onTick={() => {
                  tick(index);
                }}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Where the selected thread is now. */
function place({ index, threadId }: Selection, rows: ThreadRows): number {
  if (threadId === undefined || rows.rowAt(index)?.threadId === threadId) return index;
  return rows.indexOf(threadId) ?? index;
}

/** The time, in milliseconds since the epoch, every few seconds. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, NOW_MS);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return now;
}
