import type { Counts } from "../timeline/timelineIndex";

/** Figures differ by less than this where nothing was added to a sum. */
const NOTHING = 1e-9;

/** What a fork has of its own, of `all`, where the copied part has `copied`. */
export function ownOf(all: Counts, copied: Counts): Counts {
  return {
    steps: all.steps - copied.steps,
    toolCalls: all.toolCalls - copied.toolCalls,
    tokens: excess(all.tokens, copied.tokens),
    costUsd: excess(all.costUsd, copied.costUsd),
    computedCalls: all.computedCalls - copied.computedCalls,
  };
}

/** What was reported beyond a part of a sum; null where nothing was. */
function excess(all: number | null, part: number | null): number | null {
  const rest = (all ?? 0) - (part ?? 0);
  return Math.abs(rest) < NOTHING ? null : rest;
}
