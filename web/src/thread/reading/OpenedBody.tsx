import { Failure } from "../../parts/Failure";
import { Beginning } from "../event/Beginning";
import { listIn, type Recorded } from "../event/contents";
import { Arguments, Outcome } from "../event/shown/Calls";
import { Said } from "../event/shown/Shown";
import { useWhole, type Whole } from "../event/useWhole";
import { CallHeading, ResultBlock } from "./CallCards";
import type { CallOf } from "./calls";
import styles from "./reading.module.css";

interface OpenedBodyProps {
  readonly event: Recorded;
  readonly calls: readonly CallOf[];
  readonly at: number;
  readonly onChoose: (version: number) => void;
}

/** All of a card: what the event pane shows, a call's result below it. */
export function OpenedBody({ event: beginning, calls, ...cursor }: OpenedBodyProps) {
  const whole = useWhole(beginning);
  const event = whole.event ?? beginning;
  return (
    <div className={styles["opened"]}>
      <Standing of={whole} />
      {event.type !== "tool_calls" ? (
        <Said event={event} />
      ) : (
        listIn(event.message, "calls").map((call, index) => {
          const item = calls[index] ?? NONE;
          return (
            <section key={index} className={styles["call"]}>
              {calls.length > 1 && <CallHeading of={{ ...item, call }} />}
              {event.redactedBy === null && <Arguments call={call} isCut={event.isCut} />}
              {item.answered !== undefined && (
                <ResultBlock of={item} {...cursor}>
                  <Result of={item} answered={item.answered} />
                </ResultBlock>
              )}
            </section>
          );
        })
      )}
    </div>
  );
}

const NONE = { pair: undefined, answered: undefined, result: undefined };

function Standing({ of }: { of: Whole }) {
  return (
    <>
      {of.error !== null && <Failure error={of.error} />}
      {of.isLarge && <Beginning of={of} />}
    </>
  );
}

function Result({ of: { result, answered } }: { of: CallOf; answered: Recorded }) {
  const whole = useWhole(answered);
  const index = listIn(answered?.message, "results").indexOf(result ?? null);
  const full = listIn(whole.event?.message, "results")[index] ?? result;
  return (
    <>
      <Standing of={whole} />
      {full !== undefined && <Outcome result={full} />}
    </>
  );
}
