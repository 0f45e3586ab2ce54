import type { ReactElement } from "react";
import { useCursor } from "../../cursor";
import { RemarkShown } from "../../remarks/RemarkShown";
import { Answered } from "../../replays/AnswerMark";
import { useAnswers } from "../../replays/useAnswers";
import { ADDED } from "../../../extensions";
import { payloadShown } from "../../../payloads/payloadShown";
import { Copy } from "../../../parts/Copy";
import { JsonTree } from "../../../parts/JsonTree";
import { kindOf } from "../../../parts/kinds";
import { Calls, Results } from "./Calls";
import { filesOf, type Recorded, textIn } from "../contents";
import { Closed, Redacted, Started } from "./Facts";
import { Files } from "./Files";
import styles from "../event.module.css";
import { LONGEST, Plain, Prose } from "./Prose";
import { ExchangeShown, RewrittenShown, RunShown } from "./Recording";
import { ApprovalRequest, ApprovalResponse, ModelRequest, ModelResponse } from "./Steps";
import { Value } from "./Value";
import { WorkerResult, WorkerSpawned } from "./Workers";

/** The contents of an event, drawn by its type. */
export function Shown({ event }: { event: Recorded }) {
  const answer = useAnswers()?.get(event.id);
  return (
    <div className={styles["shown"]}>
      {answer !== undefined && <Answered answer={answer} />}
      {kindOf(event.type).isProse === true && <ProseTools event={event} />}
      <Said event={event} />
      {Object.keys(event.metadata).length > 0 && (
        <section aria-label="Metadata of the message">
          <h3>Metadata</h3>
          <JsonTree value={event.metadata} label="Metadata of the message" open={1} />
        </section>
      )}
    </div>
  );
}

interface SaidProps {
  readonly event: Recorded;
}

/** What a message says, without its metadata. */
export function Said({ event }: SaidProps) {
  const message = event.message;
  const text = textIn(message, "text");
  switch (event.type) {
    case "input":
      return (
        <>
          {text !== null && <Prose text={text} />}
          <Files files={filesOf(message)} />
        </>
      );
    case "reply":
    case "system":
      return <Prose text={text ?? ""} />;
    case "log":
      return <Plain text={text ?? ""} />;
    case "scratchpad":
      return (
        <>
          <p className={styles["soft"]}>
            {textIn(message, "mode") === "replace"
              ? "Replaces the scratchpad:"
              : "Added to the scratchpad:"}
          </p>
          <Prose text={text ?? ""} />
        </>
      );
    case "reasoning":
      return (
        <>
          <h3>{textIn(message, "title")}</h3>
          <Prose text={textIn(message, "summary") ?? ""} />
        </>
      );
    case "tool_calls":
      return <Calls event={event} />;
    case "tool_results":
      return <Results event={event} />;
    case "approval_request":
      return <ApprovalRequest event={event} />;
    case "approval_response":
      return <ApprovalResponse event={event} />;
    case "worker_spawned":
      return <WorkerSpawned event={event} />;
    case "worker_result":
      return <WorkerResult event={event} />;
    case "llm_request":
      return <ModelRequest event={event} />;
    case "llm_response":
      return <ModelResponse event={event} />;
    case "runtime_error":
      return (
        <div className={styles["failed"]}>
          <Plain text={textIn(message, "error") ?? ""} />
        </div>
      );
    case "tick":
      return <p className={styles["soft"]}>Time passed. A tick has no contents.</p>;
    case "shutdown":
    case "exit":
    case "thread.closed":
      return <Closed event={event} />;
    case "thread.started":
      return <Started event={event} />;
    case "thread.annotated":
      return <JsonTree value={message["metadata"] ?? null} label="Metadata" open={3} />;
    case "thread.redacted":
      return <Redacted event={event} />;
    case "thread.noted":
    case "thread.labelled":
    case "thread.judged":
      return <RemarkShown event={event} />;
    default: {
      const isRecording = Object.hasOwn(RECORDED, event.type);
      const Recorded = isRecording ? RECORDED[event.type] : ADDED.events[event.type];
      return Recorded === undefined ? <Unnamed event={event} /> : <Recorded event={event} />;
    }
  }
}

/** What recordings add. */
const RECORDED: Readonly<Record<string, (props: SaidProps) => ReactElement>> = {
  "agentlog.exchange": ExchangeShown,
  "agentlog.run": RunShown,
  "agentlog.rewritten": RewrittenShown,
};

/** An application's own type, or one that this page does not know. */
function Unnamed({ event }: { event: Recorded }) {
  const bytes = textIn(event.message, "unreadable");
  if (bytes !== null) return <Plain text={bytes} />;
  const { payload } = event.message;
  if (payload === undefined) return <JsonTree value={event.message} label="Message" open={3} />;
  const drawn = payloadShown(event.type, payload);
  if (drawn === null) return <Value value={payload} label="Payload" />;
  return (
    <>
      {drawn}
      <h3>Payload</h3>
      <JsonTree value={payload} label="Payload" open={1} />
    </>
  );
}

function ProseTools({ event }: { event: Recorded }) {
  const { address, change } = useCursor();
  const isPlain = address.plain === true;
  const text = textIn(event.message, "text") ?? textIn(event.message, "summary") ?? "";
  return (
    <div className={styles[text.length > LONGEST ? "tools" : "beside"]}>
      <button
        type="button"
        className="quiet"
        aria-pressed={isPlain}
        onClick={() => {
          change({ plain: isPlain ? undefined : true }, { replace: true });
        }}
      >
        Plain text
      </button>
      <Copy text={text}>{event.isCut ? "Copy the beginning" : "Copy"}</Copy>
    </div>
  );
}
