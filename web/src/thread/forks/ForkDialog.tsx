import { useId, useState } from "react";
import { useMay } from "../../app/access";
import { ADDED } from "../../extensions";
import { Dialog } from "../../parts/Dialog";
import { Failure } from "../../parts/Failure";
import { nameOf } from "../../parts/kinds";
import type { Recorded } from "../event/contents";
import { lastOf } from "../timeline/threadTimeline";
import { useTimeline } from "../timeline/timeline";
import { ShellCommand } from "./ShellCommand";
import { forkCommand, type Forking } from "./command";
import styles from "./forks.module.css";
import { fileOf, MessageField, useOwnText } from "./MessageField";
import { useFork } from "./queries";

interface ForkDialogProps {
  readonly threadId: string;
  readonly event: Recorded;
  readonly onClose: () => void;
}

const CHANGES: Readonly<Record<Forking["change"], string>> = {
  none: "as it is",
  replace: "edited",
  insert: "followed by another",
  drop: "left out",
};

/** Forks a thread after an event, with the message there edited; or says the command for it. */
export function ForkDialog({ threadId, event, onClose }: ForkDialogProps) {
  const { version, type, kind } = event;
  const timeline = useTimeline();
  const isRecorded = lastOf(timeline, "agentlog.exchange") !== null;
  const [as, setAs] = useState("");
  const [change, setChange] = useState<Forking["change"]>("none");
  const [text, setText] = useState<string | null>(null);
  const id = useId();
  const forking = { threadId, at: version, as: as.trim(), change, file: fileOf(version) };
  return (
    <Dialog title={`Fork from version ${version}`} onClose={onClose}>
      <div className={styles["form"]}>
        <p>
          A new thread begins with a copy of the messages up to here. This thread stays as it is.
        </p>
        <label htmlFor={`${id}-as`}>Id of the fork (else a new one)</label>
        <input
          id={`${id}-as`}
          autoComplete="off"
          spellCheck={false}
          maxLength={128}
          value={as}
          onChange={({ target }) => {
            setAs(target.value);
          }}
        />
        {kind === "fact" ? (
          <p role="note">
            Version {version}, {nameOf(type)}, is a fact of this thread. It is not copied, so it
            cannot be edited: a fork has facts of its own.
          </p>
        ) : (
          <>
            <label htmlFor={`${id}-change`}>
              The {nameOf(type)} of version {version} is
            </label>
            <select
              id={`${id}-change`}
              value={change}
              onChange={({ target }) => {
                setChange(target.value as Forking["change"]);
                setText(null);
              }}
            >
              {Object.entries(CHANGES).map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
          </>
        )}
        {(change === "replace" || change === "insert") && (
          <MessageField {...{ event, change, text }} onChange={setText} />
        )}
        <Fork {...{ forking, event, text, onClose }} />
        <h3>Command</h3>
        <ShellCommand text={forkCommand(forking)} name="Copy command" />
        {isRecorded &&
          ADDED.forking.map((Forking, index) => (
            <Forking key={index} {...{ threadId, at: version, as: as.trim() }} />
          ))}
      </div>
    </Dialog>
  );
}

interface ForkProps {
  readonly forking: Forking;
  readonly event: Recorded;
  readonly text: string | null;
  readonly onClose: () => void;
}

/** The button that makes the fork, and why it is not made. */
function Fork({ forking, event, text, onClose }: ForkProps) {
  const mayAppend = useMay("append");
  const { data: own } = useOwnText(event, forking.change);
  const fork = useFork(onClose);
  if (!mayAppend) {
    return <p role="note">With this key no fork can be made here: it needs the scope append.</p>;
  }
  return (
    <>
      {fork.error !== null && <Failure error={fork.error} title="The fork was not made" />}
      <div className={styles["choice"]}>
        <button
          type="button"
          className="primary"
          disabled={fork.isPending}
          onClick={() => {
            fork.mutate({ ...forking, message: text ?? own ?? "" });
          }}
        >
          {fork.isPending ? "Forking…" : "Fork"}
        </button>
      </div>
    </>
  );
}
