import { Link } from "@tanstack/react-router";
import { type CSSProperties, type KeyboardEvent, useRef, useState } from "react";
import { cost, count } from "../../parts/format";
import { Words } from "../../parts/Words";
import { placeOf } from "../forks/tree";
import { barsOf, type TreeBar } from "./bars";
import type { WorkerNode } from "./queries";
import styles from "./workers.module.css";

interface WorkerTreeProps {
  /** The thread that is open. */
  readonly threadId: string;
  readonly nodes: readonly WorkerNode[];
  /** Whether the tree has more threads. */
  readonly isCut: boolean;
}

const MOST_INDENTED = 8;

/** Threads and their workers on one axis of time; arrow keys, Home and End go from one to another. */
export function WorkerTree({ threadId, nodes, isCut }: WorkerTreeProps) {
  const list = useRef<HTMLUListElement>(null);
  const here = nodes.findIndex((node) => node.threadId === threadId);
  const [chosen, choose] = useState(Math.max(0, here));
  const bars = barsOf(nodes);
  const step = (event: KeyboardEvent): void => {
    const next = placeOf(event.key, chosen, nodes.length);
    if (next === null) return;
    event.preventDefault();
    choose(next);
    list.current?.children[next]?.querySelector("a")?.focus();
  };
  return (
    <>
      <ul ref={list} className={styles["tree"]} role="tree" aria-label="Workers" onKeyDown={step}>
        {nodes.map((node, index) => (
          <Node
            key={node.threadId}
            node={node}
            bar={bars[index] ?? null}
            isHere={index === here}
            tabIndex={index === chosen ? 0 : -1}
            onFocus={() => {
              choose(index);
            }}
          />
        ))}
      </ul>
      {isCut && <p>There are more threads than these; sums are of these.</p>}
    </>
  );
}

interface NodeProps {
  readonly node: WorkerNode;
  readonly bar: TreeBar | null;
  readonly isHere: boolean;
  readonly tabIndex: number;
  readonly onFocus: () => void;
}

function Node({ node, bar, isHere, tabIndex, onFocus }: NodeProps) {
  const { threadId, depth, goal, own, whole, tone } = node;
  const hasWorkers = whole.threads > 1;
  return (
    <li
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isHere}
      className={styles["node"]}
      style={{ "--depth": Math.min(depth, MOST_INDENTED) } as CSSProperties}
      onFocus={onFocus}
    >
      <div className={styles["name"]}>
        <Link
          to="/threads/$threadId"
          params={{ threadId }}
          tabIndex={tabIndex}
          title={threadId}
          aria-current={isHere ? "page" : undefined}
          data-tone={tone}
        >
          <bdi>{goal ?? threadId}</bdi>
        </Link>
        <Words of={whole} title={hasWorkers ? "With its workers" : undefined} />
      </div>
      <div className={styles["axis"]} aria-hidden="true">
        {bar !== null && (
          <span
            data-tone={tone}
            style={{ left: `${bar.start * 100}%`, width: `${bar.length * 100}%` }}
          />
        )}
      </div>
      <div className={styles["figures"]}>
        <span>{cost(own.costUsd, own.computedCalls)}</span>
        <span>
          {hasWorkers && `${cost(whole.costUsd, whole.computedCalls)} in all`}
          {!hasWorkers && `${count(own.totalTokens)} tokens`}
        </span>
      </div>
    </li>
  );
}
