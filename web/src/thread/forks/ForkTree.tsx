import { Link } from "@tanstack/react-router";
import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { count } from "../../parts/format";
import styles from "./forks.module.css";
import type { Origin, TreeNode } from "./queries";
import { changeText, outcomeText, placeOf } from "./tree";

interface ForkTreeProps {
  /** The thread that is open. */
  readonly threadId: string;
  readonly nodes: readonly TreeNode[];
  /** Whether the tree has more threads. */
  readonly isCut: boolean;
}

const COLOURS = { open: "accent", exited: "", closed: "" };
/** Deeper forks stand below each other; their level is written beside them. */
const MOST_INDENTED = 8;

/** A tree of forks, a line a thread; arrow keys, Home and End go from thread to thread. */
export function ForkTree({ threadId, nodes, isCut }: ForkTreeProps) {
  const list = useRef<HTMLUListElement>(null);
  const here = nodes.findIndex((node) => node.threadId === threadId);
  const [chosen, choose] = useState(Math.max(0, here));
  useEffect(() => {
    list.current?.children[here]?.scrollIntoView({ block: "center" });
  }, [here]);
  const step = (event: KeyboardEvent): void => {
    const next = placeOf(event.key, chosen, nodes.length);
    if (next === null) return;
    event.preventDefault();
    choose(next);
    list.current?.children[next]?.querySelector("a")?.focus();
  };
  return (
    <>
      <ul ref={list} className={styles["tree"]} role="tree" aria-label="Forks" onKeyDown={step}>
        {nodes.map((node, index) => (
          <Node
            key={node.threadId}
            node={node}
            isHere={index === here}
            tabIndex={index === chosen ? 0 : -1}
            onFocus={() => {
              choose(index);
            }}
          />
        ))}
      </ul>
      {isCut && <p className={styles["change"]}>There are more threads than these.</p>}
    </>
  );
}

interface NodeProps {
  readonly node: TreeNode;
  readonly isHere: boolean;
  readonly tabIndex: number;
  readonly onFocus: () => void;
}

function Node({ node, isHere, tabIndex, onFocus }: NodeProps) {
  const { threadId, depth, version, status, goal, forkedFrom, replay } = node;
  const check = replay?.check ?? null;
  return (
    <li
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isHere}
      className={styles["node"]}
      style={{ "--depth": Math.min(depth, MOST_INDENTED) } as CSSProperties}
      onFocus={onFocus}
    >
      <div className={styles["line"]}>
        {depth > MOST_INDENTED && <small>{depth} deep</small>}
        <Link
          to="/threads/$threadId"
          params={{ threadId }}
          tabIndex={tabIndex}
          title={threadId}
          className={styles["name"]}
        >
          {threadId}
        </Link>
        {check === null ? (
          <span className={`badge ${COLOURS[status]}`}>{status}</span>
        ) : (
          <span className={`badge ${check === "passed" ? "ok" : "bad"}`}>check {check}</span>
        )}
        {isHere && <span className="badge accent">this thread</span>}
        {forkedFrom !== null && (
          <span className={styles["side"]}>
            <BesideOrigin {...{ threadId, tabIndex }} origin={forkedFrom.thread} />
          </span>
        )}
      </div>
      <div className={styles["change"]}>
        version {count(version)}
        {replay !== null && outcomeText(replay)}
        {forkedFrom !== null && (
          <>
            {", forked "}
            <Change origin={forkedFrom} changes={changeText(node)} />
          </>
        )}
        {goal !== null && (
          <>
            {" · "}
            <bdi title={goal}>{goal}</bdi>
          </>
        )}
      </div>
    </li>
  );
}

function Change({ origin, changes }: { origin: Origin; changes: string }) {
  return (
    <>
      {changes !== "" && (
        <>
          with <strong>{changes}</strong>{" "}
        </>
      )}
      at {count(origin.version)} of <bdi>{origin.thread}</bdi>
    </>
  );
}

interface BesideOriginProps {
  readonly threadId: string;
  readonly origin: string;
  readonly tabIndex?: number;
}

/** The way to a fork and its origin side by side, what they share folded. */
export function BesideOrigin({ threadId, origin, tabIndex }: BesideOriginProps) {
  return (
    <Link
      to="/compare"
      search={{ thread: [origin, threadId] }}
      tabIndex={tabIndex}
      aria-label={`Compare ${threadId} with its origin`}
    >
      compare
    </Link>
  );
}
