import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Failure } from "../parts/Failure";
import { time } from "../parts/format";
import { type Column, WindowedTable } from "../parts/WindowedTable";
import { accessesQuery } from "./queries";

const COLUMNS: readonly Column[] = [
  { name: "Time", width: "11rem" },
  { name: "Key", width: "8rem" },
  { name: "Request", width: "minmax(14rem, 1fr)" },
  { name: "Thread", width: "14rem" },
  { name: "Status", width: "4rem", isNumber: true },
];

/** Who read what and who was refused, where reads are recorded. */
export function Accesses() {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(accessesQuery);
  if (error !== null) return <Failure error={error} />;
  if (isPending) return <p className="loading">Reading accesses…</p>;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) {
    return (
      <p>
        None is recorded. With <code>AGENTLOG_READ_AUDIT=on</code> each read of data is recorded:
        time, key, route, thread and status.
      </p>
    );
  }
  return (
    <WindowedTable
      label="Accesses"
      columns={COLUMNS}
      items={items}
      idOf={({ number }) => number}
      most={12}
      onMore={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : null}
      cells={(access) => [
        time(access.at),
        <code>{access.keyId ?? "–"}</code>,
        <code title={access.requestId ?? undefined}>{`${access.method} ${access.route}`}</code>,
        access.threadId === null ? (
          "–"
        ) : (
          <Link to="/threads/$threadId" params={{ threadId: access.threadId }}>
            {access.threadId}
          </Link>
        ),
        access.status,
      ]}
    />
  );
}
