import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChainBadge } from "../audit/chain/ChainBadge";
import { Copy } from "../parts/Copy";
import { cost, count, counted } from "../parts/format";
import { useTitle } from "../parts/useTitle";
import { useCursor } from "./cursor";
import { ThreadActions } from "./event/actions/ThreadActions";
import { useAnomalies } from "./history/anomalies";
import { Live } from "./Live";
import { headQuery } from "./queries";
import styles from "./thread.module.css";
import { useTimeline } from "./timeline/timeline";

const COLOURS = { open: "accent", exited: "", closed: "" };

/** How many rules were broken, those that cost nothing apart and in grey. */
function Anomalies({ total }: { total: number }) {
  const known = useAnomalies();
  const notes = [...(known?.values() ?? [])].flat().filter(({ severity }) => severity === "note");
  const warnings = total - notes.length;
  return (
    <>
      {warnings > 0 && (
        <span className="badge warn">{counted(warnings, "anomaly", "anomalies")}</span>
      )}
      {notes.length > 0 && <span className="badge">{counted(notes.length, "id")} reused</span>}
    </>
  );
}

/** The thread that this one begins with a copy of, as it was then. */
function ForkedFrom({ thread, version }: { thread: string; version: number }) {
  return (
    <span>
      fork of{" "}
      <Link to="/threads/$threadId" params={{ threadId: thread }} search={{ at: version }}>
        {thread} at {count(version)}
      </Link>
    </span>
  );
}

/** What the thread is, and what it had used up to the cursor. */
export function ThreadHeader() {
  const { threadId, at, last } = useCursor();
  const { data: head } = useQuery(headQuery(threadId));
  const timeline = useTimeline();
  useTitle(head === undefined ? null : `${head.goal ?? threadId} · ${count(at)} · agentlog`);
  if (head === undefined) return null;
  const { steps, toolCalls, tokens, costUsd, computedCalls } = timeline.counts(at);
  const isKnown = timeline.loadedTo >= at;
  const figures = [
    ["Version", `${count(at)} of ${count(last)}`],
    ["Steps", isKnown ? count(steps) : count(null)],
    ["Calls", isKnown ? count(toolCalls) : count(null)],
    ["Tokens", isKnown ? count(tokens) : count(null)],
    ["Cost", isKnown ? cost(costUsd, computedCalls) : cost(null)],
  ] as const;
  return (
    <header className={styles["header"]}>
      <div className={styles["title"]}>
        <h1 title={head.goal ?? undefined}>
          <bdi>{head.goal ?? threadId}</bdi>
        </h1>
        <span className={styles["names"]}>
          <code title={threadId}>{threadId}</code>
          <Copy text={threadId} />
          <span className={`badge ${COLOURS[head.status]}`}>{head.status}</span>
          <Anomalies total={head.anomalies} />
          <ChainBadge threadId={threadId} />
          {head.parent !== null && (
            <span>
              worker of{" "}
              <Link to="/threads/$threadId" params={{ threadId: head.parent }}>
                {head.parent}
              </Link>
            </span>
          )}
          {head.forkedFrom !== null && <ForkedFrom {...head.forkedFrom} />}
        </span>
      </div>
      <dl className={styles["figures"]} aria-label="Up to the cursor">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Live />
      <ThreadActions />
    </header>
  );
}
