import { useState } from "react";
import type { Json } from "../../../api/exact";
import { useCursor } from "../../cursor";
import { DiffTree } from "../diff/DiffTree";
import { diffTree } from "../diff/difference";
import type { StatePath } from "../run/runParts";
import { KeyHistory } from "../versions/KeyHistory";
import styles from "../state.module.css";
import type { StateKey } from "../stateChanges";
import { Value } from "../Value";

interface StateKeyRowProps {
  readonly entry: StateKey;
  readonly at: number;
  /** What the address names it by, where its history is open. */
  readonly id: string;
  /** Where its history is asked for. */
  readonly path: StatePath;
}

/** One key of a state: its value, what the event changed of it, and its history on demand. */
export function StateKeyRow({ entry, at, id, path }: StateKeyRowProps) {
  const { address, change } = useCursor();
  const [isDiffOpen, setDiffOpen] = useState(false);
  const { key, value, before } = entry;
  const isOpen = address.key === id;
  return (
    <li className={styles["key"]} data-changed={entry.change !== null}>
      <button
        type="button"
        className={styles["name"]}
        aria-expanded={isOpen}
        title={`History of ${key}`}
        onClick={() => {
          change({ key: isOpen ? undefined : id }, { replace: true });
        }}
      >
        {key}
      </button>
      <div className={styles["value"]}>
        {value === undefined ? <i>removed</i> : <Value value={value} label={key} open={0} />}
      </div>
      {entry.change !== null && (
        <button
          type="button"
          className={`badge ${BADGES[entry.change]} ${styles["mark"] ?? ""}`}
          aria-expanded={isDiffOpen}
          title="The value before"
          onClick={() => {
            setDiffOpen(!isDiffOpen);
          }}
        >
          {entry.change}
        </button>
      )}
      {entry.change !== null && isDiffOpen && (
        <div
          className={styles["under"]}
          role="group"
          aria-label={`What version ${at} changed of ${key}`}
        >
          <DiffTree node={nodeOf(key, before, value)} />
        </div>
      )}
      {isOpen && <KeyHistory name={key} path={path} />}
    </li>
  );
}

const BADGES = { added: "ok", removed: "bad", changed: "accent" };

function nodeOf(key: string, before: Json | undefined, value: Json | undefined) {
  if (before === undefined) return { kind: "added", key, value: value ?? null } as const;
  if (value === undefined) return { kind: "removed", key, value: before } as const;
  return diffTree(key, before, value);
}
