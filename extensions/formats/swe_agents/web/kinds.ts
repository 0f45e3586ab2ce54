import type { Kind } from "#page/parts/kinds";

/** Types that the reader of SWE-agent's trajectories keeps beside those of the kernel. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "swe-agent.step": { name: "editor", group: "state" },
  "swe-agent.demonstration": { name: "demonstration", group: "user" },
  "swe-agent.trajectory": { name: "trajectory", group: "note", fold: "machinery" },
};
