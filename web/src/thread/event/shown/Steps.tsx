import { printExact } from "../../../api/exact";
import { cost, count, duration } from "../../../parts/format";
import { JsonTree } from "../../../parts/JsonTree";
import { fieldsIn, numberIn, type Recorded, textIn } from "../contents";
import { FieldTable } from "../FieldTable";
import styles from "../event.module.css";
import { Peer } from "./Peer";
import { Plain } from "./Prose";
import { pairsOf } from "../../timeline/pairing";
import { useTimeline } from "../../timeline/timeline";

export interface StepProps {
  readonly event: Recorded;
}

const APPROVAL = ["Request", "Answer"] as const;
const MODEL = ["Request", "Response"] as const;

/** A call that waits for a person. */
export function ApprovalRequest({ event }: StepProps) {
  const { message } = event;
  const { args } = message;
  const reason = textIn(message, "reason");
  const callId = textIn(message, "callId");
  return (
    <article className={styles["part"]}>
      <header>
        <strong className={styles["name"]}>{textIn(message, "tool") ?? "–"}</strong>
        <code className={styles["soft"]}>{callId ?? ""}</code>
        <Peer event={event} names={APPROVAL} />
      </header>
      {reason !== null && <Plain text={reason} />}
      {args !== undefined && <JsonTree value={args} label="Arguments" open={2} />}
    </article>
  );
}

/** What the person said. */
export function ApprovalResponse({ event }: StepProps) {
  const { message, metadata } = event;
  const isGranted = message["approved"] === true;
  const reason = textIn(message, "reason");
  const callId = textIn(message, "callId");
  const actor = textIn(metadata, "actor");
  return (
    <article className={styles["part"]}>
      <header>
        <span className={`badge ${isGranted ? "ok" : "bad"}`}>
          {isGranted ? "granted" : "denied"}
        </span>
        {actor !== null && <span>by {actor}</span>}
        <code className={styles["soft"]}>{callId ?? ""}</code>
        <Peer event={event} names={APPROVAL} />
      </header>
      {reason !== null && <Plain text={reason} />}
    </article>
  );
}

/** A request to a model. */
export function ModelRequest({ event }: StepProps) {
  const { message } = event;
  const { responseFormat, stream, temperature } = message;
  return (
    <article className={styles["part"]}>
      <header>
        <Peer event={event} names={MODEL} />
      </header>
      <FieldTable
        label="Model request"
        rows={[
          ["Model", textIn(message, "model")],
          ["Most tokens", count(numberIn(message, "maxTokens"))],
          ["Temperature", temperature == null ? null : printExact(temperature)],
          ["Streamed", typeof stream === "boolean" ? (stream ? "yes" : "no") : null],
        ]}
      />
      {responseFormat != null && (
        <>
          <h3>Response format</h3>
          <JsonTree value={responseFormat} label="Response format" open={2} />
        </>
      )}
    </article>
  );
}

/** A model's response: its tokens, cost and time. */
export function ModelResponse({ event }: StepProps) {
  const { message } = event;
  const usage = fieldsIn(message, "usage");
  const spans = useTimeline().at(event.version);
  const span = pairsOf(event.type, event.version, spans)[0]?.span;
  const prices = span?.prices ?? null;
  return (
    <article className={styles["part"]}>
      <header>
        <Peer event={event} names={MODEL} />
      </header>
      <FieldTable
        label="Model response"
        rows={[
          ["Model", textIn(message, "model")],
          ["Provider", textIn(message, "provider")],
          ["Finish reason", textIn(message, "finishReason")],
          ["Latency", duration(numberIn(message, "latencyMs"))],
          ["Cost", cost(span?.costUsd, prices === null ? 0 : 1)],
          ["computed by", prices],
          ["Input tokens", count(numberIn(usage, "inputTokens"))],
          ["of them cached", count(numberIn(usage, "cachedInputTokens"))],
          ["of them written to a cache", count(numberIn(usage, "cacheWriteTokens"))],
          ["for an hour", count(numberIn(usage, "cacheWrite1hTokens"))],
          ["Output tokens", count(numberIn(usage, "outputTokens"))],
          ["of them reasoning", count(numberIn(usage, "reasoningTokens"))],
          ["Total tokens", count(numberIn(usage, "totalTokens"))],
        ]}
      />
    </article>
  );
}
