import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { fetchWithKey } from "../../api/client";
import { parseExact, printExact } from "../../api/exact";
import { Copy } from "../../parts/Copy";
import { Dialog } from "../../parts/Dialog";
import { DownloadButton } from "../../parts/DownloadButton";
import { Failure } from "../../parts/Failure";
import { count, counted } from "../../parts/format";
import { nameOf } from "../../parts/kinds";
import { fieldsIn, type Recorded } from "../event/contents";
import { lastOf } from "../timeline/threadTimeline";
import { useTimeline } from "../timeline/timeline";
import { forkCommand, type Forking, replayCommand } from "./command";
import styles from "./forks.module.css";
import { hazardsQuery } from "./queries";

interface ForkDialogProps {
  readonly threadId: string;
  readonly event: Recorded;
  readonly onClose: () => void;
}

const CHANGES: Readonly<Record<Forking["change"], string>> = {
  none: "as it is",
  drop: "left out",
  replace: "replaced by that of a file",
  insert: "followed by that of a file",
};

/** The command that forks a thread after an event; the service runs no agents. */
export function ForkDialog({ threadId, event, onClose }: ForkDialogProps) {
  const { version, type, kind } = event;
  const timeline = useTimeline();
  const isRecorded = lastOf(timeline, "agentlog.exchange") !== null;
  const [as, setAs] = useState("");
  const [change, setChange] = useState<Forking["change"]>("none");
  const [file, setFile] = useState(`message-${version}.json`);
  const id = useId();
  const command = forkCommand({ threadId, at: version, as: as.trim(), change, file });
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
        {kind === "message" && (
          <>
            <label htmlFor={`${id}-change`}>
              The {nameOf(type)} of version {version} is
            </label>
            <select
              id={`${id}-change`}
              value={change}
              onChange={({ target }) => {
                setChange(target.value as Forking["change"]);
              }}
            >
              {Object.entries(CHANGES).map(([name, text]) => (
                <option key={name} value={name}>
                  {text}
                </option>
              ))}
            </select>
          </>
        )}
        {(change === "replace" || change === "insert") && (
          <FileField file={file} onChange={setFile}>
            {change === "replace" && event.redactedBy === null && (
              <DownloadButton
                name={`message-${version}.json`}
                content={() => messageFile(threadId, event.id)}
              >
                Download it to edit
              </DownloadButton>
            )}
          </FileField>
        )}
        <h3>Command</h3>
        <Command text={command} name="Copy command" />
        {isRecorded && <Replay {...{ threadId, at: version, as: as.trim() }} />}
      </div>
    </Dialog>
  );
}

/** The command that goes on live from here with the agent that was recorded. */
function Replay(place: Pick<Forking, "threadId" | "at" | "as">) {
  const [model, setModel] = useState("");
  const [agent, setAgent] = useState("");
  return (
    <>
      <h3>Run the agent again from here</h3>
      <HazardsSaid threadId={place.threadId} from={place.at} />
      <Field label="Model (else the recorded one)" value={model} onChange={setModel} />
      <Field label="Its command" value={agent} onChange={setAgent} />
      <Command
        text={replayCommand(place, model.trim(), agent.trim())}
        name="Copy command of the replay"
      />
    </>
  );
}

/** Which recorded calls may be made again. */
function HazardsSaid({ threadId, from }: { threadId: string; from: number }) {
  const { data: calls, error } = useQuery(hazardsQuery(threadId, from));
  if (error !== null) return <Failure error={error} />;
  if (calls === undefined) return <p className="loading">Reading recorded calls…</p>;
  if (calls.length === 0)
    return <p>All recorded calls are of tools that are known to only read.</p>;
  const all = calls.reduce((sum, { calls: times }) => sum + times, 0);
  return (
    <div className={styles["hazards"]} role="note">
      Tools of the agent run again. {counted(all, "recorded call")} may have effects:
      <ul>
        {calls.map(({ name, calls: times }) => (
          <li key={name}>
            <bdi>{name}</bdi> {count(times)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Command({ text, name }: { text: string; name: string }) {
  return (
    <>
      <pre className="code" tabIndex={0} aria-label={name.replace("Copy c", "C")}>
        {text}
      </pre>
      <div className={styles["choice"]}>
        <Copy text={text} className="primary">
          {name}
        </Copy>
      </div>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ label, value, onChange }: FieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
    </>
  );
}

interface FileFieldProps {
  readonly file: string;
  readonly onChange: (file: string) => void;
  /** The way to a file to begin with. */
  readonly children: ReactNode;
}

function FileField({ file, onChange, children }: FileFieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>File with the message, as JSON</label>
      <div className={styles["file"]}>
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          value={file}
          onChange={({ target }) => {
            onChange(target.value);
          }}
        />
        {children}
      </div>
    </>
  );
}

/** A message as a fork takes it from a file: without its id and time. */
async function messageFile(threadId: string, messageId: string): Promise<Blob> {
  const response = await fetchWithKey(`/v1/threads/${threadId}/messages/${messageId}`);
  const event = parseExact(await response.text());
  const metadata = fieldsIn(event, "metadata");
  const own = Object.entries(fieldsIn(event, "message")).filter(
    ([name]) => name !== "id" && name !== "timestamp",
  );
  const kept = Object.keys(metadata).length === 0 ? {} : { metadata };
  return new Blob([`${printExact({ ...Object.fromEntries(own), ...kept }, 2)}\n`]);
}
