import type { Json } from "../../../api/exact";
import { toolShown } from "../../../payloads/tools/ToolShown";
import { Attempts } from "../attempts/Attempts";
import { isFields, jsonIn, listIn, type Recorded, textIn, valueIn } from "../contents";
import styles from "../event.module.css";
import { Peer } from "./Peer";
import { Portion } from "./Portion";
import { Plain } from "./Prose";
import { compact, Exact, Tree, Value } from "./Value";

interface CallsProps {
  readonly event: Recorded;
}

const NAMES = ["Call", "Result"] as const;

/** Tool calls, each with its arguments. */
export function Calls({ event }: CallsProps) {
  return (
    <Portion
      of={listIn(event.message, "calls")}
      draw={(call, index) => (
        <article className={styles["part"]}>
          <header>
            <Named value={call} />
            <Peer event={event} index={index} names={NAMES} />
          </header>
          <Attempts event={event} index={index} />
          {event.redactedBy === null && <Arguments call={call} isCut={event.isCut} />}
        </article>
      )}
    />
  );
}

/** The arguments of a call; undefined where they are none, or no JSON. */
export function argumentsOf(call: Json): Json | undefined {
  const text = textIn(call, "argumentsText");
  return valueIn(call, "args") ?? (text === null ? undefined : jsonIn(text)) ?? undefined;
}

/** What a call does, or its arguments as a tree. */
export function Arguments({ call, isCut }: { call: Json; isCut: boolean }) {
  const text = textIn(call, "argumentsText");
  const args = argumentsOf(call);
  if (args === undefined) {
    if (text === null) return <p className={styles["soft"]}>No arguments.</p>;
    return (
      <>
        {!isCut && (
          <p className={styles["soft"]}>Not a JSON object or list. As the model wrote it:</p>
        )}
        <Plain text={text} />
      </>
    );
  }
  return (
    <>
      {toolShown(textIn(call, "name") ?? "", args) ?? <Tree value={args} label="Arguments" />}
      <Exact text={text ?? compact(args)} name="Exact arguments" />
    </>
  );
}

/** Tool results: outputs and errors. */
export function Results({ event }: CallsProps) {
  return (
    <Portion
      of={listIn(event.message, "results")}
      draw={(result, index) => {
        const error = valueIn(result, "error") ?? null;
        return (
          <article className={styles["part"]}>
            <header>
              <Named value={result} />
              {error !== null && <span className="badge bad">failed</span>}
              {error === null && isFields(result) && "error" in result && (
                <span className="badge ok">succeeded</span>
              )}
              <Peer event={event} index={index} names={NAMES} isStated={error !== null} />
            </header>
            <Attempts event={event} index={index} />
            <Outcome result={result} />
          </article>
        );
      }}
    />
  );
}

/** What a call came to: its error, its output or both. */
export function Outcome({ result }: { result: Json }) {
  const error = valueIn(result, "error") ?? null;
  const output = valueIn(result, "output") ?? null;
  return (
    <>
      {error !== null && <Failed error={error} />}
      {(error === null || output !== null) && <Value value={output} label="Output" />}
    </>
  );
}

function Named({ value }: { value: Json }) {
  const name = textIn(value, "name");
  const id = textIn(value, "callId") ?? textIn(value, "id");
  return (
    <>
      {name !== null && <strong className={styles["name"]}>{name}</strong>}
      {id !== null && <code className={styles["soft"]}>{id}</code>}
    </>
  );
}

/** Why something failed: a text, or an error with a name and a stack. */
export function Failed({ error }: { error: Json }) {
  const name = textIn(error, "name") ?? textIn(error, "code");
  const message = typeof error === "string" ? error : textIn(error, "message");
  const stack = textIn(error, "stack");
  return (
    <div className={styles["failed"]}>
      {name !== null && <strong>{name}</strong>}
      {message === null ? <Value value={error} label="Error" /> : <Plain text={message} />}
      {stack !== null && <Exact text={stack} name="Stack" />}
    </div>
  );
}
