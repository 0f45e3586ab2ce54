import type { ReactNode } from "react";
import type { Json } from "../../api/exact";
import { Glimpse } from "../../payloads/Glimpse";
import { LONGEST_HEADING, toolShown } from "../../payloads/tools/ToolShown";
import { isFields, textIn, valueIn } from "../event/contents";
import { argumentsOf } from "../event/shown/Calls";
import { Course } from "../history/row/EventLine";
import { argumentsText } from "../history/row/labels";
import type { CallOf } from "./calls";
import { Clipped } from "./Clipped";
import { isPress } from "./press";
import { ErrorText } from "./MessageBody";
import styles from "./reading.module.css";

const MOST_CALLS = 4;

interface CallCardsProps {
  readonly calls: readonly CallOf[];
  /** How many there are: the event may have been read in part. */
  readonly count: number;
  readonly at: number;
  readonly onChoose: (version: number) => void;
}

/** The first calls of an event, each with the beginning of what it asks and of its result. */
export function CallCards({ calls, count, ...cursor }: CallCardsProps) {
  const lines = calls.length === 1 ? 6 : 3;
  const more = Math.max(count, calls.length) - MOST_CALLS;
  return (
    <>
      {calls.slice(0, MOST_CALLS).map((item, index) => (
        <section key={index} className={styles["call"]}>
          {calls.length > 1 && <CallHeading of={item} />}
          <CallArguments call={item.call} lines={lines} />
          {item.result !== undefined && (
            <ResultBlock of={item} {...cursor}>
              <CallResult result={item.result} lines={lines} />
            </ResultBlock>
          )}
        </section>
      ))}
      {more > 0 && <p className={styles["more"]}>… {more} more</p>}
    </>
  );
}

/** The tool, what distinguishes the call, and how it went. */
export function CallHeading({ of: { call, pair } }: { of: CallOf }) {
  const args = argumentsOf(call);
  const name = textIn(call, "name") ?? "call";
  const said = argumentsText(args ?? textIn(call, "argumentsText") ?? null);
  const hint = isSaid(args) ? said : (pair?.span.hint ?? said);
  return (
    <div className={styles["heading"]}>
      <bdi title={name}>{name}</bdi>{" "}
      <bdi className={styles["hint"]} title={hint}>
        {hint}
      </bdi>
      {pair !== undefined && <Course pair={pair} />}
    </div>
  );
}

interface ResultBlockProps extends Pick<CallCardsProps, "at" | "onChoose"> {
  readonly of: CallOf;
  readonly children: ReactNode;
}

/** A result below its call; a press puts the cursor on its event. */
export function ResultBlock({ of: { answered }, at, onChoose, children }: ResultBlockProps) {
  return (
    <div
      className={styles["result"]}
      data-here={answered?.version === at}
      onClick={(event) => {
        if (answered === undefined || !isPress(event)) return;
        event.stopPropagation();
        onChoose(answered.version);
      }}
    >
      {children}
    </div>
  );
}

function CallArguments({ call, lines }: { call: Json; lines: number }) {
  const args = argumentsOf(call);
  if (args === undefined) {
    const text = textIn(call, "argumentsText");
    return text === null ? null : <Shortened value={text} lines={lines} />;
  }
  const drawn = toolShown(textIn(call, "name") ?? "", args);
  if (drawn !== null) return <Clipped lines={2 * lines}>{drawn}</Clipped>;
  return isSaid(args) ? null : <Shortened value={args} lines={lines} />;
}

function Shortened({ value, lines }: { value: Json; lines: number }) {
  return (
    <Clipped lines={lines}>
      <Glimpse value={value} />
    </Clipped>
  );
}

/** Whether a heading has room for all of the arguments. */
function isSaid(args: Json | undefined): boolean {
  if (!isFields(args)) return false;
  const values = Object.values(args);
  if (values.some((value) => typeof value === "object" || String(value).includes("\n")))
    return false;
  return values.length <= 4 && argumentsText(args).length <= LONGEST_HEADING;
}

function CallResult({ result, lines }: { result: Json; lines: number }) {
  const error = valueIn(result, "error") ?? null;
  const output = valueIn(result, "output") ?? null;
  return (
    <>
      {error !== null && (
        <Clipped lines={lines}>
          <ErrorText error={error} />
        </Clipped>
      )}
      {(error === null || output !== null) && <Shortened value={output} lines={lines} />}
    </>
  );
}
