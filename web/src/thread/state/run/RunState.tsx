import { useCursor } from "../../cursor";
import { countOf } from "../../../parts/format";
import { StateKeyRow } from "../keys/StateKeyRow";
import type { StatePair } from "../statePair";
import styles from "../state.module.css";
import { FileRow } from "./FileRow";
import { notAppliedOf, pathInPart, runParts, statePathOf, todosOf } from "./runParts";

/** What the run keeps for itself, part by part; nothing where it keeps nothing. */
export function RunState({ pair, at }: { pair: StatePair; at: number }) {
  const { now, before } = pair;
  return (
    <>
      <Todos pair={pair} />
      {runParts(before, now).map(({ part, title, keys }) => (
        <section key={part} aria-label={title} className={styles["part"]}>
          <h3>{title}</h3>
          <ul className={styles["keys"]}>
            {keys.map((entry) =>
              part === "files" ? (
                <FileRow key={entry.key} entry={entry} at={at} />
              ) : (
                <StateKeyRow
                  key={entry.key}
                  entry={entry}
                  at={at}
                  id={`${part}/${entry.key}`}
                  path={statePathOf(pathInPart(part, entry.key))}
                />
              ),
            )}
          </ul>
        </section>
      ))}
      <Unapplied pair={pair} />
    </>
  );
}

const SIGNS: Readonly<Record<string, string>> = {
  completed: "☑",
  done: "☑",
  in_progress: "◐",
  cancelled: "☒",
};

function Todos({ pair: { now, before } }: { pair: StatePair }) {
  const todos = todosOf(before, now);
  if (todos.length === 0) return null;
  const done = todos.filter(({ status }) => SIGNS[status ?? ""] === "☑").length;
  return (
    <section aria-label="To do" className={styles["part"]}>
      <h3>
        To do <small>{`${done} of ${todos.length} done`}</small>
      </h3>
      <ul className={styles["todos"]}>
        {todos.map(({ text, status, isChanged }, index) => (
          <li key={index} data-changed={isChanged} data-status={status ?? ""}>
            <span aria-hidden="true">{SIGNS[status ?? ""] ?? "☐"}</span>
            <span>{text}</span>
            {status !== null && <small>{status.replaceAll("_", " ")}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Unapplied({ pair: { now } }: { pair: StatePair }) {
  const { go } = useCursor();
  const notApplied = notAppliedOf(now);
  if (notApplied === null) return null;
  return (
    <details className={styles["part"]}>
      <summary>{countOf(notApplied.count, "change")} up to here did not apply</summary>
      <ul className={styles["told"]}>
        {notApplied.latest.map(({ version, path, reason }, index) => (
          <li key={index}>
            <button
              type="button"
              className="quiet"
              onClick={() => {
                go(version);
              }}
            >
              {version}
            </button>{" "}
            <code>{path}</code>: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}
