import { JsonTree } from "../../../parts/JsonTree";
import { listIn, type Recorded, textIn } from "../contents";
import { FieldTable } from "../FieldTable";
import styles from "../event.module.css";
import { Plain, Prose } from "./Prose";
import { ThreadLink } from "./Workers";

/** How a thread began. */
export function Started({ event: { message } }: { event: Recorded }) {
  const goal = textIn(message, "goal");
  const parent = textIn(message, "parent");
  const { limits, metadata } = message;
  return (
    <>
      {goal !== null && <Prose text={goal} />}
      <FieldTable
        label="Thread"
        rows={[
          ["Policy", textIn(message, "policy")],
          ["Parent", parent === null ? null : <ThreadLink id={parent} />],
        ]}
      />
      {limits != null && (
        <>
          <h3>Limits</h3>
          <JsonTree value={limits} label="Limits" open={2} />
        </>
      )}
      {metadata != null && (
        <>
          <h3>Metadata</h3>
          <JsonTree value={metadata} label="Metadata" open={2} />
        </>
      )}
    </>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  complete: "The agent finished.",
  step_limit: "The agent reached its limit of steps.",
  user_request: "The user stopped the agent.",
  error: "The agent stopped because of an error.",
};

/** Why an agent or a thread ended. */
export function Closed({ event: { message, type } }: { event: Recorded }) {
  const reason = textIn(message, "reason");
  const said = textIn(message, "message");
  return (
    <>
      {reason === null && <p className={styles["soft"]}>No reason given.</p>}
      {reason !== null && type !== "exit" && <Plain text={reason} />}
      {reason !== null && type === "exit" && (
        <p>
          <span className={`badge ${reason === "error" ? "bad" : "accent"}`}>{reason}</span>{" "}
          {REASONS[reason]}
        </p>
      )}
      {said !== null && <Plain text={said} />}
    </>
  );
}

/** Which contents were erased, and why. */
export function Redacted({ event: { message } }: { event: Recorded }) {
  const ids = listIn(message, "messages").map(String);
  const rest = Object.fromEntries(Object.entries(message).filter(([name]) => !KNOWN.has(name)));
  return (
    <>
      <Plain text={textIn(message, "reason") ?? ""} />
      <p className={styles["soft"]}>
        {message["all"] === true
          ? "All messages before it were erased, with goal and metadata."
          : "The contents of these messages were erased:"}
      </p>
      {ids.length > 0 && <JsonTree value={ids} label="Messages" open={2} />}
      {Object.keys(rest).length > 0 && <JsonTree value={rest} label="Details" open={2} />}
    </>
  );
}

const KNOWN = new Set(["id", "timestamp", "type", "reason", "messages", "all"]);
