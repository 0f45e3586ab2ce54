import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useCursor } from "../cursor";
import { DownloadButton } from "../../parts/DownloadButton";
import { Failure } from "../../parts/Failure";
import { bytes } from "../../parts/format";
import type { Recorded } from "../event/contents";
import styles from "./forks.module.css";
import { ownTextQuery } from "./queries";

/** Larger messages are edited in a file, in bytes. */
const LARGE = 256_000;
const NEW = '{"type": "input", "text": ""}';

interface MessageFieldProps {
  readonly event: Recorded;
  readonly change: "replace" | "insert";
  /** The message as JSON; null until the reader has changed it. */
  readonly text: string | null;
  readonly onChange: (text: string) => void;
}

/** The message that a fork has in place of another or after it, to be edited. */
export function MessageField({ event, change, text, onChange }: MessageFieldProps) {
  const id = useId();
  const { data: own, error } = useOwnText(event, change);
  const value = text ?? own;
  if (error !== null) return <Failure error={error} />;
  if (value === undefined) return <p className="loading">Reading the message…</p>;
  if (value.length > LARGE) {
    return (
      <p role="note">
        The message is too large to be edited here ({bytes(event.bytes)}): save it, edit the file,
        and use the command. <Save version={event.version} text={value} />
      </p>
    );
  }
  return (
    <>
      <label htmlFor={id}>Message, as JSON</label>
      <textarea
        id={id}
        className={styles["message"]}
        rows={8}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
      {event.redactedBy !== null && change === "replace" && (
        <p role="note">Its contents were erased by version {event.redactedBy}: write others.</p>
      )}
      <Save version={event.version} text={value} />
    </>
  );
}

/** What the message is at first: as it was recorded, or an empty input to be put in after it. */
export function useOwnText(
  { id, redactedBy }: Recorded,
  change: "none" | "drop" | "replace" | "insert",
): { data: string | undefined; error: Error | null } {
  const { threadId } = useCursor();
  const isKept = change === "replace" && redactedBy === null;
  const { data, error } = useQuery({ ...ownTextQuery(threadId, id), enabled: isKept });
  return isKept ? { data, error } : { data: NEW, error: null };
}

/** Saves the message under the name that the command has. */
function Save({ version, text }: { version: number; text: string }) {
  const name = fileOf(version);
  return (
    <div className={styles["choice"]}>
      <DownloadButton name={name} content={() => Promise.resolve(new Blob([`${text}\n`]))}>
        {`Save as ${name}`}
      </DownloadButton>
    </div>
  );
}

/** The name of the file with the message of a version. */
export function fileOf(version: number): string {
  return `message-${version}.json`;
}
