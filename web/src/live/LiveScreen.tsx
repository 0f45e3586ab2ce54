import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Failure } from "../parts/Failure";
import { cost, count, countOf } from "../parts/format";
import { useTitle } from "../parts/useTitle";
import { LiveThread } from "./LiveThread";
import styles from "./live.module.css";
import { openQuery } from "./queries";
import { costPerMinute, wallOf } from "./wall";

/** Threads that are at work, with their last step; those that wait for a person first. */
export function LiveScreen() {
  const { data, error, dataUpdatedAt } = useQuery(openQuery);
  const wall = wallOf(data?.items ?? [], data?.total ?? 0, dataUpdatedAt);
  const { waiting, atWork, quiet } = wall;
  const waits = data?.waiting ?? 0;
  useTitle(waits > 0 ? `${countOf(waits, "thread")} needs approval` : "Live", {
    needsPerson: waits > 0,
  });
  const rates = atWork.map(costPerMinute).filter((rate) => rate !== null);
  const together = rates.reduce((sum, rate) => sum + rate, 0);
  return (
    <main className={`screen ${styles["live"] ?? ""}`}>
      <header>
        <h1>Live</h1>
        <p role="status">
          {data === undefined
            ? "Reading…"
            : `${countOf(atWork.length, "thread")} at work` +
              (rates.length > 0 ? `, ${cost(together)} a minute together` : "")}
        </p>
      </header>
      {error !== null && <Failure error={error} />}
      {waiting.length > 0 && (
        <section aria-label="Needs approval">
          <h2>Needs approval</h2>
          <ul>
            {waiting.map((thread) => (
              <LiveThread key={thread.threadId} thread={thread} now={dataUpdatedAt} />
            ))}
          </ul>
        </section>
      )}
      {atWork.length > 0 && (
        <section aria-label="At work">
          <h2>At work</h2>
          <ul>
            {atWork.map((thread) => (
              <LiveThread key={thread.threadId} thread={thread} now={dataUpdatedAt} />
            ))}
          </ul>
        </section>
      )}
      {data !== undefined && quiet > 0 && (
        <p className={styles["quiet"]}>
          {count(quiet)} more {quiet === 1 ? "is" : "are"} open, without an event for 15 minutes:{" "}
          <Link to="/" search={{ filter: "open" }}>
            all open threads
          </Link>
        </p>
      )}
      {data !== undefined && data.total === 0 && (
        <p>No thread is open. What begins is shown here by itself.</p>
      )}
    </main>
  );
}
