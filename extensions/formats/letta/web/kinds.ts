import type { Kind } from "#page/parts/kinds";

/** Types that the reader of Letta's agents keeps beside those of the kernel. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "letta-agent.agent": { name: "agent", group: "state" },
  "letta-agent.block": { name: "memory", group: "state" },
  "letta-agent.summary": { name: "summary", group: "thought" },
};
