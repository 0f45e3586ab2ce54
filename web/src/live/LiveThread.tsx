import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ago, cost, count, duration } from "../parts/format";
import { linesOf } from "../thread/history/row/labels";
import type { Summary } from "../threads/standing";
import { Approvals } from "./Approvals";
import styles from "./live.module.css";
import { lastEventQuery } from "./queries";
import { costPerMinute } from "./wall";

/** An open thread: what it is for, its last step, what it has used, and what it waits for. */
export function LiveThread({ thread, now }: { thread: Summary; now: number }) {
  const { threadId, goal, version, updatedAt, durationMs, steps, totalTokens } = thread;
  const perMinute = costPerMinute(thread);
  return (
    <li className={styles["thread"]}>
      <header>
        <Link to="/threads/$threadId" params={{ threadId }} className={styles["goal"]}>
          <bdi>{goal ?? threadId}</bdi>
        </Link>
        {goal !== null && <code>{threadId}</code>}
        <span className={styles["ago"]}>{ago(updatedAt, now)}</span>
      </header>
      <LastStep threadId={threadId} version={version} />
      <dl aria-label={`Figures of ${threadId}`}>
        <Figure name="Steps" value={count(steps)} />
        <Figure name="Tokens" value={count(totalTokens)} />
        <Figure name="Elapsed" value={duration(durationMs)} />
        <Figure name="Cost" value={cost(thread.costUsd, thread.computedCalls)} />
        <Figure name="a minute" value={cost(perMinute, thread.computedCalls)} />
      </dl>
      {thread.approvalsPending > 0 && <Approvals threadId={threadId} version={version} now={now} />}
    </li>
  );
}

function LastStep({ threadId, version }: { threadId: string; version: number }) {
  const { data: event } = useQuery(lastEventQuery(threadId, version));
  const [line] = event === undefined || event === null ? [] : linesOf(event);
  return (
    <p className={styles["last"]}>
      {line !== undefined && (
        <Link to="/threads/$threadId" params={{ threadId }} search={{ at: version }}>
          <bdi>{line.name === "" ? "result" : line.name}</bdi>
        </Link>
      )}{" "}
      <bdi>{line?.text}</bdi>
    </p>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
