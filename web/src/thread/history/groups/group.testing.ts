import type { Group } from "./groups";

/** A group of events without figures. */
export function group(version: number, endVersion: number, depth: number): Group {
  return {
    ...{
      name: `span ${version}`,
      version,
      endVersion,
      depth,
      open: false,
      told: 0,
      suspected: 0,
      failures: 0,
    },
    ...{ events: endVersion - version + 1, elapsedMs: 1000, inputTokens: null },
    ...{ outputTokens: null, costUsd: null, computedCalls: 0 },
  };
}
