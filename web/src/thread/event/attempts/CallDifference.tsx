import { useQuery } from "@tanstack/react-query";
import type { Json } from "../../../api/exact";
import { useCursor } from "../../cursor";
import { DiffTree } from "../../state/diff/DiffTree";
import { diffTree } from "../../state/diff/difference";
import { type Span, useTimeline } from "../../timeline/timeline";
import type { Recorded } from "../contents";
import { beginningQuery } from "../queries";
import { argumentsOf, resultOf } from "./recorded";

interface CallDifferenceProps {
  readonly before: Span;
  readonly call: Span;
  /** What is compared of the two calls. */
  readonly of: readonly ("arguments" | "result")[];
}

/** What the arguments or the result of a call differ in from those of another. */
export function CallDifference({ before, call, of }: CallDifferenceProps) {
  const timeline = useTimeline();
  const [request, requestBefore] = [useEvent(call.from), useEvent(before.from)];
  const [answer, answerBefore] = [useEvent(call.to), useEvent(before.to)];
  if (request === undefined || requestBefore === undefined) return null;
  const isAnswered = call.to !== null && before.to !== null;
  const areRead = answer !== undefined && answerBefore !== undefined;
  return (
    <dl>
      {of.includes("arguments") && (
        <Change
          name="Arguments"
          before={argumentsOf(requestBefore, before)}
          now={argumentsOf(request, call)}
        />
      )}
      {of.includes("result") && isAnswered && areRead && (
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
