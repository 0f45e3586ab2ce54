import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { ForkPlace } from "#page/extensions";
import { Failure } from "#page/parts/Failure";
import { count, countOf } from "#page/parts/format";
import styles from "#page/thread/forks/forks.module.css";
import { ShellCommand } from "#page/thread/forks/ShellCommand";
import { forkRunCommand } from "./command";
import { hazardsQuery } from "./queries";

/** The command that goes on live from here with the agent that was recorded. */
export function RunAgain(fork: ForkPlace) {
  const [model, setModel] = useState("");
  const [agent, setAgent] = useState("");
  const { data: calls } = useQuery(hazardsQuery(fork.threadId, fork.at));
  if (calls === null) return null; // this service has no such command either
  return (
    <>
      <h3>Run the agent again from here</h3>
      <HazardsSaid threadId={fork.threadId} from={fork.at} />
      <Field label="Model (else the recorded one)" value={model} onChange={setModel} />
      <Field label="Its command" value={agent} onChange={setAgent} />
      <ShellCommand
        text={forkRunCommand(fork, model.trim(), agent.trim())}
        name="Copy command of the replay"
      />
    </>
  );
}

/** Which recorded calls may be made again. */
function HazardsSaid({ threadId, from }: { threadId: string; from: number }) {
  const { data: calls, error } = useQuery(hazardsQuery(threadId, from));
  if (error !== null) return <Failure error={error} />;
  if (calls == null) return <p className="loading">Reading recorded calls…</p>;
  if (calls.length === 0)
    return <p>All recorded calls are of tools that are known to only read.</p>;
  const all = calls.reduce((sum, { calls: times }) => sum + times, 0);
  return (
    <div className={styles["hazards"]} role="note">
      Tools of the agent run again. {countOf(all, "recorded call")} may have effects:
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
