import type { WorkerNode } from "./queries";

/** When a thread was at work, as shares of the time of all; null where it has no times. */
export interface TreeBar {
  readonly start: number;
  readonly length: number;
}

type Times = Pick<WorkerNode, "firstSentAt" | "lastSentAt">;

/** Returns the bars of threads on one axis, from the first message of all to the last. */
export function barsOf(nodes: readonly Times[]): (TreeBar | null)[] {
  const spans = nodes.map(({ firstSentAt, lastSentAt }) =>
    firstSentAt === null || lastSentAt === null
      ? null
      : { from: Date.parse(firstSentAt), to: Date.parse(lastSentAt) },
  );
  const known = spans.filter((span) => span !== null);
  const first = known.reduce((least, { from }) => Math.min(least, from), Infinity);
  const whole = known.reduce((most, { to }) => Math.max(most, to), -Infinity) - first;
  return spans.map((span) => {
    if (span === null || !(whole > 0)) return null;
    return { start: (span.from - first) / whole, length: (span.to - span.from) / whole };
  });
}
