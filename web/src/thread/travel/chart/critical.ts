import { endsOf } from "../../../parts/kinds";
import type { Timeline } from "../../timeline/timeline";
import { type Course, endOf } from "../course";

/** The spans that the end of a run waited for, and how many milliseconds of each kind. */
export interface CriticalPath {
  readonly spans: ReadonlySet<number>;
  readonly elapsed: ReadonlyMap<string, number>;
}

/**
 * Returns the critical path: from the end back, always the span that ended last before the next
 * began; of those that ended together the longest. Empty where there are no times.
 */
export function criticalPath(
  timeline: Pick<Timeline, "length" | "span">,
  { times, isTimed, last }: Course,
): CriticalPath {
  const measured: { index: number; kind: string; start: number; end: number }[] = [];
  for (let index = 0; isTimed && index < timeline.length; index += 1) {
    const span = timeline.span(index);
    if (span.from === null || endsOf(span.kind) === null) continue;
    const [start, end] = [times[span.from] ?? 0, times[endOf(span, last)] ?? 0];
    if (end > start) measured.push({ index, kind: span.kind, start, end });
  }
  measured.sort((one, other) => other.end - one.end || one.start - other.start);
  const spans = new Set<number>();
  const elapsed = new Map<string, number>();
  let next = Infinity;
  for (const { index, kind, start, end } of measured) {
    if (end > next) continue;
    next = start;
    spans.add(index);
    elapsed.set(kind, (elapsed.get(kind) ?? 0) + end - start);
  }
  return { spans, elapsed };
}
