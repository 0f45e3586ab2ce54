import { countOf } from "../../../parts/format";
import { JsonTree } from "../../../parts/JsonTree";
import { Folded } from "../Folded";
import type { ModelMessage } from "./modelMessage";
import styles from "../state.module.css";

interface ModelMessageCardProps {
  readonly message: ModelMessage;
  /** How it differs from what was sent a version before; null where it does not. */
  readonly change: "new" | "changed" | null;
  /** Null where they are not counted. */
  readonly tokens: number | null;
}

/** A message as the model gets it. */
export function ModelMessageCard({ message, change, tokens }: ModelMessageCardProps) {
  const { role, parts, calls, callId, repair, rest } = message;
  return (
    <article className={styles["message"]} data-role={role}>
      <header>
        <b>{role}</b>
        {callId !== null && <code>{callId}</code>}
        {change !== null && <span className="badge accent">{change}</span>}
        {repair !== null && <span className="badge warn">repaired</span>}
        {tokens !== null && <small>{countOf(tokens, "token")}</small>}
      </header>
      {repair !== null && <p className={styles["note"]}>{repair}</p>}
      {parts.map((part, index) =>
        part.kind === "text" ? (
          <Folded
            key={index}
            text={part.text}
            label={`message of ${role}`}
            code={role === "tool"}
          />
        ) : part.kind === "json" ? (
          <JsonTree key={index} value={part.value} label={`part of ${role}`} />
        ) : (
          <p key={index} className={styles["note"]}>
            {part.about}
          </p>
        ),
      )}
      {calls.map(({ id, name, args }) => (
        <div key={id} className={styles["call"]}>
          <b>{name}</b> <code>{id}</code>
          <Folded text={args} label={`arguments of ${name}`} code />
        </div>
      ))}
      {Object.keys(rest).length > 0 && <JsonTree value={rest} label="Other members" />}
    </article>
  );
}
