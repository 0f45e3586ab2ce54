import { useQuery } from "@tanstack/react-query";
import type { Json } from "../../../api/exact";
import { counted, ordinal } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { DiffTree } from "../../state/diff/DiffTree";
import { diffTree } from "../../state/diff/difference";
import { attemptBeside, seriesOf } from "../../timeline/attempts";
import { pairsOf } from "../../timeline/pairing";
import { type Span, useTimeline } from "../../timeline/timeline";
import type { Recorded } from "../contents";
import styles from "../event.module.css";
import { beginningQuery } from "../queries";
import { argumentsOf, resultOf } from "./recorded";

interface AttemptsProps {
  readonly event: Recorded;
  /** Which call or result of the event. */
  readonly index: number;
}

/** Which attempt a call is, the way to the others, and what differs from the one before. */
export function Attempts({ event, index }: AttemptsProps) {
  const timeline = useTimeline();
  const call = pairsOf(event.type, event.version, timeline.at(event.version))[index]?.span;
  const series = call === undefined ? null : seriesOf(timeline, call);
  if (call === undefined || series === null) return null;
  const { attempts, place } = series;
  const before = attempts[place - 1];
  return (
    <aside className={styles["attempts"]} aria-label="Attempts">
      <p>
        <b>{ordinal(place + 1)}</b> of {counted(attempts.length, "attempt")}
        <Beside name="Previous attempt" sign="‹" at={event.version} by={-1} />
        <Beside name="Next attempt" sign="›" at={event.version} by={1} />
      </p>
      {before !== undefined && event.redactedBy === null && (
        <Difference before={before} call={call} />
      )}
    </aside>
  );
}

interface BesideProps {
  readonly name: string;
  readonly sign: string;
  readonly at: number;
  readonly by: 1 | -1;
}

function Beside({ name, sign, at, by }: BesideProps) {
  const { go } = useCursor();
  const to = attemptBeside(useTimeline(), at, by);
  return (
    <button
      type="button"
      aria-label={name}
      title={`${name} (${by === 1 ? "." : ","})`}
      disabled={to === null}
      onClick={() => {
        if (to !== null) go(to);
      }}
    >
      {sign}
    </button>
  );
}

/** What the arguments and the result of a call differ in from those of the attempt before it. */
function Difference({ before, call }: { before: Span; call: Span }) {
  const timeline = useTimeline();
  const [asked, askedBefore] = [useEvent(call.from), useEvent(before.from)];
  const [answer, answerBefore] = [useEvent(call.to), useEvent(before.to)];
  if (asked === undefined || askedBefore === undefined) return null;
  const isAnswered = call.to !== null && before.to !== null;
  return (
    <dl>
      <Change
        name="Arguments"
        before={argumentsOf(askedBefore, before)}
        now={argumentsOf(asked, call)}
      />
      {isAnswered && answer !== undefined && answerBefore !== undefined && (
        <Change
          name="Result"
          before={resultOf(answerBefore, before, timeline)}
          now={resultOf(answer, call, timeline)}
        />
      )}
    </dl>
  );
}

function useEvent(version: number | null): Recorded | null | undefined {
  const { threadId } = useCursor();
  return useQuery({ ...beginningQuery(threadId, version ?? 0), enabled: version !== null }).data;
}

function Change({ name, before, now }: { name: string; before: Json; now: Json }) {
  const node = diffTree("", before, now);
  return (
    <div>
      <dt>{name}</dt>
      <dd>{node.kind === "same" ? "the same as before" : <DiffTree node={node} />}</dd>
    </div>
  );
}
