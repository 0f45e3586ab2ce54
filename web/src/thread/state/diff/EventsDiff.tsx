import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { Failure } from "../../../parts/Failure";
import { countOf } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { CallDifference } from "../../event/attempts/CallDifference";
import type { Recorded } from "../../event/contents";
import { beginningQuery } from "../../event/queries";
import { type Pair, pairsOf } from "../../timeline/pairing";
import { useTimeline } from "../../timeline/timeline";
import styles from "../state.module.css";
import { DiffTree } from "./DiffTree";
import { diffTree } from "./difference";
import { eventFields } from "./eventFields";

/** Calls or results of two events of which the other ends are compared. */
const MOST_PAIRS = 8;

/** What two events differ in: all their fields; of calls their results too, and the other way. */
export function EventsDiff({ from, to }: { from: number; to: number }) {
  const { threadId } = useCursor();
  const queries = useQueries({
    queries: [from, to].map((version) => ({
      ...beginningQuery(threadId, version),
      enabled: version > 0,
    })),
  });
  const error = queries.find((query) => query.error !== null)?.error ?? null;
  if (from < 1 || to < 1) {
    return <p className={styles["note"]}>Version 0 has no event: it is before the first.</p>;
  }
  if (error !== null) return <Failure error={error} />;
  const [before, after] = queries.map(({ data }) => data);
  if (before === undefined || after === undefined) return <p className="loading">Comparing…</p>;
  if (before === null || after === null) {
    return <p className={styles["note"]}>The log has no event of one of these versions.</p>;
  }
  return <Difference before={before} after={after} />;
}

function Difference({ before, after }: { before: Recorded; after: Recorded }) {
  const node = useMemo(
    () => diffTree("", eventFields(before), eventFields(after)),
    [before, after],
  );
  return (
    <div
      className={styles["scroller"]}
      tabIndex={0}
      role="region"
      aria-label="Differences of the events"
    >
      {(before.isCut || after.isCut) && (
        <p className={styles["note"]}>Of long texts the beginnings are compared.</p>
      )}
      {node.kind === "same" ? (
        <p className={styles["note"]}>The events are the same.</p>
      ) : (
        <DiffTree node={node} />
      )}
      <OtherEnds before={before} after={after} />
    </div>
  );
}

/** Of calls, what their results differ in; of results, what their calls do. */
function OtherEnds({ before, after }: { before: Recorded; after: Recorded }) {
  const timeline = useTimeline();
  const [first = [], second = []] = [before, after].map(({ type, version }) =>
    pairsOf(type, version, timeline.at(version)),
  );
  const both = second.flatMap((pair, index): (readonly [Pair, Pair])[] => {
    const other = first[index];
    return other?.isAsking === pair.isAsking ? [[other, pair]] : [];
  });
  return (
    <>
      {both.slice(0, MOST_PAIRS).map(([{ span }, pair]) => (
        <section key={pair.span.ordinal} aria-label={`Calls of ${pair.span.name}`}>
          <b>{pair.span.name}</b>
          <CallDifference
            before={span}
            call={pair.span}
            of={[pair.isAsking ? "result" : "arguments"]}
          />
        </section>
      ))}
      {both.length > MOST_PAIRS && (
        <p className={styles["note"]}>{countOf(both.length - MOST_PAIRS, "more call")}</p>
      )}
    </>
  );
}
