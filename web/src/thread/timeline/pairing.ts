import { kindOf } from "../../parts/kinds";
import type { Span } from "./span";

/** The other end of a call, result, request or response, as the service paired them. */
export interface Pair {
  readonly span: Span;
  /** Version of the other end; null where there is none. */
  readonly partner: number | null;
  /** Whether this end asked. */
  readonly isAsking: boolean;
}

/**
 * Returns the pairs of an event's calls or results, in their order; none where they are not read.
 *
 * A span says which call of its message it began with; spans that end together come in the order of
 * their results.
 */
export function pairsOf(type: string, version: number, spans: readonly Span[]): readonly Pair[] {
  const { begins, ends } = kindOf(type);
  const kind = begins ?? ends;
  if (kind === undefined) return [];
  const isAsking = begins !== undefined;
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
