import type { Span } from "./timelineIndex";

/** The other end of a call, result, request or response, as the service paired them. */
export interface Pair {
  readonly span: Span;
  /** Version of the other end; null where there is none. */
  readonly partner: number | null;
  /** Whether this end asked. */
  readonly isAsking: boolean;
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
 * Returns the pairs of an event's calls or results, in their order; none where they are not read.
 *
 * A span says which call of its message it began with; spans that end together come in the order of
 * their results.
 */
export function pairsOf(type: string, version: number, spans: readonly Span[]): readonly Pair[] {
  const { kind, isAsking } = (Object.hasOwn(PAIRED, type) ? PAIRED[type] : undefined) ?? {};
  if (kind === undefined || isAsking === undefined) return [];
  const own = spans.filter((span) => span.kind === kind);
  if (!isAsking) {
    const ended = own.filter(({ to }) => to === version);
    return ended.map((span) => ({ span, partner: span.from, isAsking }));
  }
  const pairs: Pair[] = [];
  for (const span of own) {
    if (span.from === version) pairs[span.ordinal] = { span, partner: span.to, isAsking };
  }
  return pairs;
}
