import { useCallback, useMemo, useState } from "react";
import { count, countOf } from "../parts/format";
import { Failure } from "../parts/Failure";
import type { Change, ThreadsAddress } from "./address";
import { ColumnPicker } from "./grid/ColumnPicker";
import { CompareRuns } from "./CompareRuns";
import { ordersOf, USUAL_SORT } from "./grid/columns";
import { FilterBar } from "./filter/FilterBar";
import { filtersOf } from "./filter/filters";
import { PHONE, useNarrow } from "../app/narrow";
import { NoMatch, NoThreads } from "./NoThreads";
import { seenIn } from "./filter/seen";
import { ThreadGrid } from "./grid/ThreadGrid";
import { type Sight, type ThreadRows, useThreadRows } from "./grid/threadRows";
import { TickedBar } from "./grid/TickedBar";
import styles from "./ThreadList.module.css";

interface ThreadListProps {
  readonly address: ThreadsAddress;
  readonly change: Change;
}

const TOP: Sight = { first: 0, last: 0, held: null };

/** The live list with its filters, and the actions on ticked threads. */
export function ThreadList({ address, change }: ThreadListProps) {
  const isNarrow = useNarrow(PHONE);
  const [sight, setSight] = useState(TOP);
  const filters = useMemo(() => filtersOf(address), [address]);
  const sort = address.sort ?? USUAL_SORT;
  const rows = useThreadRows(filters, sort, sight);
  const seen = useMemo(() => seenIn(rows.loaded), [rows.loaded]);
  const keys = [...seen.metadata.keys()];
  const look = useCallback((part: Partial<Sight>) => {
    setSight((before) => {
      const after = { ...before, ...part };
      const isSame = (Object.keys(TOP) as (keyof Sight)[]).every((k) => before[k] === after[k]);
      return isSame ? before : after;
    });
  }, []);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <FilterBar address={address} change={change} seen={seen} isLoaded={rows.total !== null}>
        {isNarrow ? (
          <OrderChoice sort={sort} change={change} orders={ordersOf(keys)} />
        ) : (
          <>
            <CompareRuns keys={keys} />
            <ColumnPicker chosen={address.columns} change={change} keys={keys} />
          </>
        )}
        <Standing rows={rows} />
      </FilterBar>
      {rows.error !== null && (
        <div className={styles["failure"]}>
          <Failure error={rows.error} />
          {address.sort !== undefined && (
            <button
              type="button"
              onClick={() => {
                change({ sort: undefined, row: undefined });
              }}
            >
              Usual order
            </button>
          )}
        </div>
      )}
      {rows.total === 0 ? (
        isFiltered ? (
          <NoMatch q={address.q} change={change} />
        ) : (
          <NoThreads />
        )
      ) : (
        <ThreadGrid
          list={JSON.stringify([filters, sort])}
          {...{ rows, sort, look, isNarrow, address, change }}
          held={sight.held}
        />
      )}
      <TickedBar ticked={address.ticked ?? []} change={change} />
    </>
  );
}

function Standing({ rows: { total, lag, error } }: { rows: ThreadRows }) {
  if (error !== null) return <span className={styles["standing"]}>Not up to date</span>;
  if (total === null) return <span className={styles["standing"]}>Loading…</span>;
  return (
    <span className={styles["standing"]}>
      {countOf(total, "thread")} ·{" "}
      {lag === 0 ? "up to date" : `read model ${count(lag)} positions behind`}
    </span>
  );
}

interface OrderChoiceProps {
  readonly sort: string;
  readonly change: Change;
  readonly orders: ReturnType<typeof ordersOf>;
}

function OrderChoice({ sort, change, orders }: OrderChoiceProps) {
  const isKnown = orders.some(([order]) => order === sort);
  return (
    <select
      aria-label="Order"
      value={sort}
      onChange={({ target: { value } }) => {
        change({ sort: value === USUAL_SORT ? undefined : value, row: undefined });
      }}
    >
      {!isKnown && <option value={sort}>By {sort.replace("-", "")}</option>}
      {orders.map(([order, name]) => (
        <option key={order} value={order}>
          {name}
        </option>
      ))}
    </select>
  );
}
