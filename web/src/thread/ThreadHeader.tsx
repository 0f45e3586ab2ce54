import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChainBadge } from "../audit/chain/ChainBadge";
import { LOW, useLow } from "../app/narrow";
import { isQuiet, useNow } from "../parts/activity";
import { Copy } from "../parts/Copy";
import { cost, count, countOf, duration } from "../parts/format";
import { Popover } from "../parts/Popover";
import { useTitle } from "../parts/useTitle";
import { useCursor } from "./cursor";
import { ThreadActions } from "./event/actions/ThreadActions";
import { useAnomalies } from "./history/anomalies";
import { BesideOrigin } from "./forks/ForkTree";
import { Forks } from "./forks/Forks";
import { copiedQuery, type Origin } from "./forks/queries";
import { ownOf } from "./forks/shares";
import { Live } from "./Live";
import { headQuery } from "./queries";
import { Workers } from "./workers/Workers";
import { Judgement } from "./remarks/Judgement";
import styles from "./thread.module.css";
import { type Counts, useTimeline } from "./timeline/timeline";

const COLOURS = { open: "accent", exited: "", closed: "" };

/** How many rules were broken, those that cost nothing apart and in grey. */
function Anomalies({ total }: { total: number }) {
  const known = useAnomalies();
  const notes = [...(known?.values() ?? [])].flat().filter(({ severity }) => severity === "note");
  const warnings = total - notes.length;
  return (
    <>
      {warnings > 0 && (
        <span className="badge warn">{countOf(warnings, "anomaly", "anomalies")}</span>
      )}
      {notes.length > 0 && <span className="badge">{countOf(notes.length, "id")} reused</span>}
    </>
  );
}

interface ForkedFromProps {
  readonly threadId: string;
  readonly origin: Origin;
  /** The last version that was copied; null until it is known. */
  readonly copied: number | null;
  readonly last: number;
}

/** How much of the thread is a copy, and the origin as it was then. */
function ForkedFrom({ threadId, origin: { thread, version }, copied, last }: ForkedFromProps) {
  return (
    <span>
      {copied === null ? "copied" : `${count(copied - 1)} of ${count(last)} copied`} from{" "}
      <Link
        to="/threads/$threadId"
        params={{ threadId: thread }}
        search={{ at: version }}
        title={thread}
        className={styles["origin"]}
      >
        {thread}
      </Link>
      @{version} · <BesideOrigin threadId={threadId} origin={thread} />
    </span>
  );
}

/** What the thread is, and what it had used up to the cursor. */
export function ThreadHeader() {
  const { threadId, at, last } = useCursor();
  const { data: head } = useQuery(headQuery(threadId));
  const origin = head?.forkedFrom ?? null;
  const { data: copied = null } = useQuery(copiedQuery(threadId, origin, last));
  const timeline = useTimeline();
  const name = head?.goal ?? threadId;
  const isWaiting = timeline.isWaiting && head?.status === "open";
  const isLow = useLow(LOW);
  const now = useNow();
  const sent = timeline.endMs === null ? null : new Date(timeline.endMs).toISOString();
  const quiet = head !== undefined && isQuiet({ ...head, lastSentAt: sent }, now);
  const status = isWaiting ? "needs approval" : quiet ? "quiet" : head?.status;
  useTitle(status === undefined ? null : `${status} · ${name}`, { needsPerson: isWaiting });
  if (head === undefined) return null;
  const figures = <Figures at={at} last={last} copied={origin === null ? 1 : copied} />;
  return (
    <header className={styles["header"]}>
      <div className={styles["title"]}>
        <h1 title={head.goal ?? undefined}>
          <bdi>{head.goal ?? threadId}</bdi>
        </h1>
        <span className={styles["names"]}>
          {head.goal !== null && <code title={threadId}>{threadId}</code>}
          <Copy text={threadId} className={`quiet ${styles["copy"] ?? ""}`}>
            Copy id
          </Copy>
          <span className={`badge ${quiet ? "" : COLOURS[head.status]}`}>
            {quiet ? "quiet" : head.status}
          </span>
          <Judgement />
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
          {origin !== null && <ForkedFrom {...{ threadId, origin, copied, last }} />}
          <Forks threadId={threadId} />
          <Workers threadId={threadId} />
        </span>
      </div>
      {isLow ? <Popover label={`${count(at)} of ${count(last)}`}>{figures}</Popover> : figures}
      <Live isQuiet={quiet} />
      <ThreadActions />
    </header>
  );
}

const NAMES = ["Steps", "Calls", "Tokens", "Cost"] as const;

function textsOf({ steps, toolCalls, tokens, costUsd, computedCalls }: Counts): string[] {
  return [count(steps), count(toolCalls), count(tokens), cost(costUsd, computedCalls)];
}

interface FiguresProps {
  readonly at: number;
  readonly last: number;
  /** The last version that is a copy, 1 where nothing is; null until that is known. */
  readonly copied: number | null;
}

/** What the thread had used up to the cursor; of a fork, what it copied apart. */
function Figures({ at, last, copied }: FiguresProps) {
  const timeline = useTimeline();
  const isKnown = timeline.loadedTo >= at && copied !== null;
  const all = timeline.counts(at);
  const shared = copied === null || copied === 1 ? null : timeline.counts(Math.min(at, copied));
  const own = textsOf(shared === null ? all : ownOf(all, shared));
  const copies = shared === null ? null : textsOf(shared);
  return (
    <dl className={styles["figures"]} aria-label="Up to the cursor">
      <div>
        <dt>Version</dt>
        <dd>
          {count(at)} of {count(last)}
        </dd>
        {copies !== null && <dd className={styles["copied"]}>+ copied</dd>}
      </div>
      {NAMES.map((name, index) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{isKnown ? own[index] : count(null)}</dd>
          {copies !== null && <dd className={styles["copied"]}>{copies[index]}</dd>}
        </div>
      ))}
      <div>
        <dt>Elapsed</dt>
        <dd>{duration(isKnown ? timeline.elapsedMs(at) : null)}</dd>
      </div>
    </dl>
  );
}
