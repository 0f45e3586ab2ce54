import type { Kind } from "#page/parts/kinds";

/** Types of the messages that replays and searches for causes add. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "agentlog.replay": { name: "replay", group: "model" },
  "agentlog.cause": { name: "cause", group: "model" },
};
