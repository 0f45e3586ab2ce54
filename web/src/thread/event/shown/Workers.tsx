import { Link } from "@tanstack/react-router";
import { count } from "../../../parts/format";
import { Failed } from "./Calls";
import { listIn, numberIn, textIn } from "../contents";
import { FieldTable } from "../FieldTable";
import styles from "../event.module.css";
import { Peer } from "./Peer";
import { Plain, Prose } from "./Prose";
import type { StepProps } from "./Steps";
import { Value } from "./Value";

const NAMES = ["Start", "Result"] as const;

/** A spawned worker, with its objective. */
export function WorkerSpawned({ event }: StepProps) {
  const { message } = event;
  const workerId = textIn(message, "workerId");
  const context = textIn(message, "context");
  const thread = textIn(message, "threadId");
  const tools = listIn(message, "allowedTools").map(String);
  const mayDelegate = message["canDelegate"];
  return (
    <article className={styles["part"]}>
      <header>
        <strong className={styles["name"]}>Worker {workerId ?? "–"}</strong>
        <Peer event={event} names={NAMES} />
        {thread !== null && <ThreadLink id={thread} />}
      </header>
      <Prose text={textIn(message, "objective") ?? ""} />
      {context !== null && (
        <>
          <h3>Context</h3>
          <Plain text={context} />
        </>
      )}
      <FieldTable
        label="Worker"
        rows={[
          ["Model", textIn(message, "model")],
          ["Most iterations", count(numberIn(message, "maxIterations"))],
          ["May delegate", typeof mayDelegate === "boolean" ? (mayDelegate ? "yes" : "no") : null],
          ["Allowed tools", tools.length === 0 ? null : tools.join(", ")],
        ]}
      />
    </article>
  );
}

/** The result of a worker. */
export function WorkerResult({ event }: StepProps) {
  const { message } = event;
  const workerId = textIn(message, "workerId");
  const { error, output } = message;
  return (
    <article className={styles["part"]}>
      <header>
        <strong className={styles["name"]}>Worker {workerId ?? "–"}</strong>
        {error != null && <span className="badge bad">failed</span>}
        <Peer event={event} names={NAMES} />
      </header>
      {error == null ? <Value value={output ?? null} label="Output" /> : <Failed error={error} />}
    </article>
  );
}

/** The way to another thread. */
export function ThreadLink({ id }: { id: string }) {
  return (
    <Link to="/threads/$threadId" params={{ threadId: id }}>
      Thread {id}
    </Link>
  );
}
