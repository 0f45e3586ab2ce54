import type { ReactElement } from "react";
import type { Json } from "../../api/exact";
import { payloadShown } from "../../payloads/payloadShown";
import { Glimpse } from "../../payloads/Glimpse";
import { TerminalText } from "../../parts/text/TerminalText";
import { filesOf, listIn, type Recorded, textIn } from "../event/contents";
import { Files } from "../event/shown/Files";
import { Prose } from "../event/shown/Prose";
import { Clipped } from "./Clipped";
import styles from "./reading.module.css";

const LINES = 6;
/** Lines of a card that is there to be passed over. */
const FEW = 2;
/** Characters that may be in sight of a closed card. */
const LONGEST = 2000;

const BODIES: Readonly<Record<string, (props: { event: Recorded }) => ReactElement>> = {
  input: ({ event }) => (
    <>
      <Text text={textIn(event.message, "text") ?? ""} />
      {filesOf(event.message).length > 0 && (
        <div className={styles["files"]}>
          <Files files={filesOf(event.message)} />
        </div>
      )}
    </>
  ),
  reply: ({ event }) => <Text text={textIn(event.message, "text") ?? ""} lines={2 * LINES} />,
  system: ({ event }) => <Text text={textIn(event.message, "text") ?? ""} lines={3} />,
  scratchpad: ({ event }) => <Text text={textIn(event.message, "text") ?? ""} />,
  reasoning: ({ event }) => <Thought event={event} />,
  tool_results: ({ event }) => (
    <>
      {listIn(event.message, "results").map((result, index) => (
        <Clipped key={index} lines={LINES}>
          <Glimpse value={result} />
        </Clipped>
      ))}
    </>
  ),
  approval_request: ({ event }) => <Value value={event.message["args"] ?? null} />,
  worker_spawned: ({ event }) => <Text text={textIn(event.message, "objective") ?? ""} />,
  worker_result: ({ event: { message } }) =>
    message["error"] == null ? (
      <Value value={message["output"] ?? null} />
    ) : (
      <Failed error={message["error"]} />
    ),
  runtime_error: ({ event }) => <Failed error={event.message["error"] ?? null} />,
};

/** Whether an event has more to show than a line; one of an own type that is opened has it all. */
export function hasBody({ type, message }: Pick<Recorded, "type" | "message">): boolean {
  if (Object.hasOwn(BODIES, type) || type === "tool_calls") return true;
  return payloadShown(type, message["payload"]) !== null;
}

/** The beginning of what a message says. */
export function MessageBody({ event }: { event: Recorded }) {
  const Body = Object.hasOwn(BODIES, event.type) ? BODIES[event.type] : undefined;
  if (Body !== undefined) return <Body event={event} />;
  return <Clipped lines={LINES}>{payloadShown(event.type, event.message["payload"])}</Clipped>;
}

function Value({ value }: { value: Json }) {
  return (
    <Clipped lines={LINES}>
      <Glimpse value={value} />
    </Clipped>
  );
}

function Text({ text, lines = LINES }: { text: string; lines?: number }) {
  return (
    <Clipped lines={lines}>
      <Prose text={text.slice(0, LONGEST)} />
    </Clipped>
  );
}

/** A thought, folded: its beginning. */
function Thought({ event: { message } }: { event: Recorded }) {
  const [title, summary] = [textIn(message, "title") ?? "", textIn(message, "summary") ?? ""];
  return (
    <div className={styles["thought"]}>
      <Clipped lines={FEW}>
        {title !== "" && <strong>{title} </strong>}
        {summary.slice(0, LONGEST)}
      </Clipped>
    </div>
  );
}

function Failed({ error }: { error: Json }) {
  return (
    <Clipped lines={LINES}>
      <ErrorText error={error} />
    </Clipped>
  );
}

/** The beginning of an error's text. */
export function ErrorText({ error }: { error: Json }) {
  const name = textIn(error, "name") ?? textIn(error, "code");
  const message = typeof error === "string" ? error : textIn(error, "message");
  return (
    <div className={styles["failed"]}>
      {name !== null && <strong>{name} </strong>}
      {message === null ? (
        <Glimpse value={error} />
      ) : (
        <pre className="text">
          <TerminalText text={message.slice(0, LONGEST)} />
        </pre>
      )}
    </div>
  );
}
