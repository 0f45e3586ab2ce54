import { useState } from "react";
import type { Json } from "../../../api/exact";
import { countOf } from "../../../parts/format";
import { JsonTree } from "../../../parts/JsonTree";
import type { DiffNode } from "./difference";
import styles from "../state.module.css";
import { TextDiff } from "./TextDiff";
import { Value } from "../Value";

/** Entries of one node that are drawn before more is asked for. */
const MOST_SHOWN = 100;

/** A difference in place: added, removed and changed are marked, the rest is folded. */
export function DiffTree({ node }: { node: DiffNode }) {
  switch (node.kind) {
    case "same":
      return <Same node={node} />;
    case "added":
    case "removed":
      return <Entry kind={node.kind} name={node.key} value={node.value} />;
    case "changed":
      return <Changed name={node.key} before={node.before} after={node.after} />;
    case "inside":
      return <Inside name={node.key}>{node.children}</Inside>;
  }
}

function Same({ node }: { node: DiffNode & { kind: "same" } }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles["same"]}>
      <button
        type="button"
        className="quiet"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {isOpen ? "▾" : "▸"} {node.count} unchanged
      </button>
      {isOpen && <JsonTree value={node.value} label="unchanged" />}
    </div>
  );
}

const SIGNS = { added: "+", removed: "−" };

function Entry({ kind, name, value }: { kind: "added" | "removed"; name: string; value: Json }) {
  return (
    <div className={`${styles["entry"] ?? ""} ${styles[kind] ?? ""}`}>
      <span className={styles["sign"]} role="img" aria-label={kind}>
        {SIGNS[kind]}
      </span>
      {name !== "" && <span className={styles["label"]}>{name}</span>}
      <div className={styles["value"]}>
        <Value value={value} label={`${kind} ${name}`} />
      </div>
    </div>
  );
}

/** Characters up to which the old and new value share a line. */
const SHORT = 24;

function isShort(value: Json): boolean {
  return (typeof value !== "object" || value === null) && String(value).length <= SHORT;
}

function Changed({ name, before, after }: { name: string; before: Json; after: Json }) {
  const areTexts = typeof before === "string" && typeof after === "string";
  const areShort = isShort(before) && isShort(after);
  if (areTexts || areShort) {
    return (
      <div className={styles["entry"]}>
        <span className={styles["sign"]} role="img" aria-label="changed">
          ~
        </span>
        {name !== "" && <span className={styles["label"]}>{name}</span>}
        <div className={styles["value"]}>
          {areShort ? (
            <code className={styles["textDiff"]}>
              <del>{JSON.stringify(before)}</del> → <ins>{JSON.stringify(after)}</ins>
            </code>
          ) : (
            <TextDiff before={before as string} after={after as string} />
          )}
        </div>
      </div>
    );
  }
  return (
    <div role="group" aria-label={`${name} changed`}>
      <Entry kind="removed" name={name} value={before} />
      <Entry kind="added" name={name} value={after} />
    </div>
  );
}

function Inside({ name, children }: { name: string; children: readonly DiffNode[] }) {
  const [limit, setLimit] = useState(MOST_SHOWN);
  const left = children.length - limit;
  return (
    <div role="group" aria-label={name}>
      {name !== "" && <span className={styles["label"]}>{name}</span>}
      <div className={name === "" ? undefined : styles["inside"]}>
        {children.slice(0, limit).map((child, index) => (
          <DiffTree key={index} node={child} />
        ))}
        {left > 0 && (
          <button
            type="button"
            className="quiet"
            onClick={() => {
              setLimit(limit + MOST_SHOWN);
            }}
          >
            {countOf(left, "more entry", "more entries")}
          </button>
        )}
      </div>
    </div>
  );
}
