import type { Span } from "../../timeline/timeline";
import type { Line } from "./labels";

/** The other end of a line's call or result, and its outcome. */
export interface Pair {
  readonly span: Span;
  /** Version of the other end; null where there is none. */
  readonly partner: number | null;
  /** Whether the line asked. */
  readonly isAsking: boolean;
  /** How long it took; null where nothing was measured. */
  readonly elapsedMs: number | null;
}

const PAIRED: Partial<Record<string, { kind: string; isAsking: boolean }>> = {
  tool_calls: { kind: "call", isAsking: true },
  tool_results: { kind: "call", isAsking: false },
  approval_request: { kind: "approval", isAsking: true },
  approval_response: { kind: "approval", isAsking: false },
  worker_spawned: { kind: "worker", isAsking: true },
  worker_result: { kind: "worker", isAsking: false },
  llm_request: { kind: "model", isAsking: true },
  llm_response: { kind: "model", isAsking: false },
};

/**
 * Pairs the lines of an event with the spans that begin or end there.
 *
 * By call id; what has none is paired in the order of the lines.
 */
export function paired(
  type: string,
  version: number,
  lines: readonly Line[],
  spans: readonly Span[],
): readonly (Pair | null)[] {
  const sought = PAIRED[type];
  if (sought === undefined) return lines.map(() => null);
  const { kind, isAsking } = sought;
  const left = spans.filter(
    (span) => span.kind === kind && (isAsking ? span.from : span.to) === version,
  );
  return lines.map(({ callId }) => {
    const place = left.findIndex((span) => callId === null || span.callId === callId);
    const [span] = place < 0 ? [] : left.splice(place, 1);
    if (span === undefined) return null;
    return { span, partner: isAsking ? span.to : span.from, isAsking, elapsedMs: elapsed(span) };
  });
}

function elapsed({ startMs, endMs }: Span): number | null {
  return startMs === null || endMs === null || endMs <= startMs ? null : endMs - startMs;
}
