import { printExact } from "../../../api/exact";
import { cost, count, duration } from "../../../parts/format";
import { JsonTree } from "../../../parts/JsonTree";
import { fieldsIn, numberIn, type Recorded, textIn } from "../contents";
import { FieldTable } from "../FieldTable";
import styles from "../event.module.css";
import { Peer } from "./Peer";
import { Plain } from "./Prose";
import type { Span } from "../queries";
import { useCursor } from "../../cursor";
import { visible } from "../texts";

export interface StepProps {
  readonly event: Recorded;
  readonly spans: readonly Span[] | undefined;
}

const APPROVAL = ["Request", "Answer"] as const;
const MODEL = ["Request", "Response"] as const;

/** A call that waits for a person. */
export function ApprovalRequest({ event: { message }, spans }: StepProps) {
  const { args } = message;
  const reason = textIn(message, "reason");
  const callId = textIn(message, "callId");
  return (
    <article className={styles["part"]}>
      <header>
        <strong className={styles["name"]}>{visible(textIn(message, "tool") ?? "–")}</strong>
        <code className={styles["soft"]}>{visible(callId ?? "")}</code>
        <Peer spans={spans} kind="approval" id={callId} names={APPROVAL} side="begin" />
      </header>
      {reason !== null && <Plain text={reason} />}
      {args !== undefined && <JsonTree value={args} label="Arguments" open={2} />}
    </article>
  );
}

/** What the person said. */
export function ApprovalResponse({ event: { message, metadata }, spans }: StepProps) {
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
        {actor !== null && <span>by {visible(actor)}</span>}
        <code className={styles["soft"]}>{visible(callId ?? "")}</code>
        <Peer spans={spans} kind="approval" id={callId} names={APPROVAL} side="end" />
      </header>
      {reason !== null && <Plain text={reason} />}
    </article>
  );
}

/** A request to a model. */
export function ModelRequest({ event: { message }, spans }: StepProps) {
  const { responseFormat, stream, temperature } = message;
  return (
    <article className={styles["part"]}>
      <header>
        <Peer spans={spans} kind="model" id={null} names={MODEL} side="begin" />
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
export function ModelResponse({ event: { message }, spans }: StepProps) {
  const usage = fieldsIn(message, "usage");
  const { at } = useCursor();
  const span = spans?.find(({ kind, endVersion }) => kind === "model" && endVersion === at);
  const prices = span?.prices ?? null;
  return (
    <article className={styles["part"]}>
      <header>
        <Peer spans={spans} kind="model" id={null} names={MODEL} side="end" />
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
          ["Output tokens", count(numberIn(usage, "outputTokens"))],
          ["of them reasoning", count(numberIn(usage, "reasoningTokens"))],
          ["Total tokens", count(numberIn(usage, "totalTokens"))],
        ]}
      />
    </article>
  );
}
