import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { time } from "../parts/format";
import type { Column } from "../parts/tables/DataTable";
import { PagedTable } from "../parts/tables/PagedTable";
import { accessesQuery } from "./queries";

const COLUMNS: readonly Column[] = [
  { heading: "Time", width: 190 },
  { heading: "Key", width: 130 },
  { heading: "Request", width: 330 },
  { heading: "Thread", width: 240 },
  { heading: "Status", width: 80, isFigure: true },
];

/** Who read what and who was refused, where reads are recorded. */
export function Accesses() {
  return (
    <PagedTable
      label="Accesses"
      query={useInfiniteQuery(accessesQuery)}
      columns={COLUMNS}
      most={12}
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
      empty={
        <>
          None is recorded. With <code>AGENTLOG_READ_AUDIT=on</code> each read of data is recorded:
          time, key, route, thread and status.
        </>
      }
    />
  );
}
