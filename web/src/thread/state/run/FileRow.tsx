import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Failure } from "../../../parts/Failure";
import { countOf } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { stateQuery } from "../../queries";
import { TextDiff } from "../diff/TextDiff";
import { Folded } from "../Folded";
import { members } from "../model/modelMessage";
import styles from "../state.module.css";
import type { StateKey } from "../stateChanges";
import { KeyHistory } from "../versions/KeyHistory";
import { pathInPart, statePathOf, type WorkingFile, workingFile } from "./runParts";

/** A working file: what the event did to it, its text on demand, and its history. */
export function FileRow({ entry, at }: { entry: StateKey; at: number }) {
  const { address, change } = useCursor();
  const [isOpen, setOpen] = useState(false);
  const id = `files/${entry.key}`;
  const file = workingFile(entry.value);
  const mark = markOf(workingFile(entry.before), file);
  return (
    <li className={styles["key"]} data-changed={mark !== null}>
      <button
        type="button"
        className={styles["name"]}
        aria-expanded={address.key === id}
        title={`History of ${entry.key}`}
        onClick={() => {
          change({ key: address.key === id ? undefined : id }, { replace: true });
        }}
      >
        {entry.key}
      </button>
      <div className={styles["value"]}>
        <button
          type="button"
          className="quiet"
          aria-expanded={isOpen}
          aria-label={`${aboutFile(file)}: text of ${entry.key}`}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          {aboutFile(file)}
        </button>
      </div>
      {mark !== null && <span className={`badge ${BADGES[mark]}`}>{mark}</span>}
      {isOpen && <FileText path={entry.key} at={at} />}
      {address.key === id && (
        <KeyHistory
          name={entry.key}
          path={statePathOf(`${pathInPart("files", entry.key)}.lines`)}
        />
      )}
    </li>
  );
}

const BADGES = { deleted: "bad", changed: "accent", read: "" };

function markOf(before: WorkingFile, now: WorkingFile): keyof typeof BADGES | null {
  if (now.lastChanged !== before.lastChanged) return now.isDeleted ? "deleted" : "changed";
  return now.lastRead === before.lastRead ? null : "read";
}

function aboutFile({ lines, changes, lastChanged, isDeleted }: WorkingFile): string {
  if (isDeleted) return "deleted";
  const length = lines === null ? "text not known" : countOf(lines, "line");
  return changes === 0 ? `${length}, only read` : `${length}, last changed at ${lastChanged ?? ""}`;
}

/** The text of a file at a version; what the event changed of it is marked. */
function FileText({ path, at }: { path: string; at: number }) {
  const { threadId } = useCursor();
  const now = useQuery(stateQuery(threadId, at, "run-state?texts=true"));
  const before = useQuery(stateQuery(threadId, at - 1, "run-state?texts=true"));
  const error = now.error ?? before.error;
  if (error !== null) return <Failure error={error} />;
  if (now.data === undefined || before.data === undefined)
    return <p className="loading">Reading…</p>;
  const [text, old] = [now.data, before.data].map(
    (state) => members(members(state["files"])[path])["text"],
  );
  return (
    <div className={styles["under"]} role="group" aria-label={`Text of ${path}`}>
      {typeof text !== "string" ? (
        <p className={styles["note"]}>
          Its text is not on record: it was not read whole, or an edit does not fit what was known.
        </p>
      ) : typeof old === "string" && old !== text ? (
        <div className={styles["code"]}>
          <TextDiff before={old} after={text} />
        </div>
      ) : (
        <Folded text={text} label={path} code />
      )}
    </div>
  );
}
