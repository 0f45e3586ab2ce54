import { type CSSProperties, useRef } from "react";
import { useNow } from "../../parts/activity";
import type { Change, ThreadsAddress } from "../address";
import { chosenColumns, layout, withoutEmptyGoals } from "./columns";
import { GridHead } from "./GridHead";
import { useGridKeys } from "./gridKeys";
import { useSelection } from "./selection";
import { ThreadRow } from "./ThreadRow";
import type { Sight, ThreadRows } from "./threadRows";
import styles from "./ThreadGrid.module.css";
import screen from "../ThreadsScreen.module.css";
import { Waiting } from "./Waiting";
import { ROW_HEIGHT, useWindow } from "./window";

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

/** The windowed rows of the list. On a phone they are cards. */
export function ThreadGrid(props: ThreadGridProps) {
  const { rows, list, sort, held, look, isNarrow, address, change } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const windowed = useWindow(scroller, { rows, list, held, look, isNarrow, row: address.row });
  const total = windowed.options.count;
  const { selected, select, open } = useSelection(rows, list, address, total);
  const ticked = address.ticked ?? [];
  const tick = (index: number): void => {
    const id = rows.rowAt(index)?.threadId;
    if (id === undefined) return;
    const left = ticked.includes(id) ? ticked.filter((other) => other !== id) : [...ticked, id];
    change({ ticked: left.length > 0 ? left : undefined }, { replace: true });
  };
  const onKeyDown = useGridKeys({
    selected,
    total,
    screenful: () => Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2,
    select: (index) => {
      const to = select(index);
      if (to === null) return;
      windowed.scrollToIndex(to);
      scroller.current?.focus({ preventScroll: true });
    },
    open: (index) => void open(index),
    tick,
  });

  const columns = withoutEmptyGoals(chosenColumns(address.columns), rows.loaded);
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
