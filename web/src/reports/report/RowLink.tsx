import { Link } from "@tanstack/react-router";
import type { Target } from "./target";

/** Leads to the threads of a row. */
export function RowLink({ target }: { target: Target }) {
  if (target.kind === "thread") {
    const { threadId, at } = target;
    return (
      <Link
        to="/threads/$threadId"
        params={{ threadId }}
        search={at === undefined ? {} : { at }}
        aria-label={`Open thread ${threadId}`}
      >
        Open
      </Link>
    );
  }
  if (target.kind === "list") {
    return (
      <Link to="/" search={target.search} title="The list of threads with these filters">
        Threads
      </Link>
    );
  }
  return (
    <Link
      to="/sql"
      search={{ sql: target.sql }}
      state={{ ran: 1 }}
      title="The threads of this row, asked for by SQL"
    >
      Threads
    </Link>
  );
}
