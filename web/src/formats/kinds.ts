import type { Kind } from "../parts/kinds";

/** What is known of the types that readers of agents' files keep beside those of the kernel. */
export const FORMAT_KINDS: Readonly<Record<string, Kind>> = {
  "inspect.eval": { name: "evaluation", group: "note" },
  "inspect.sample_init": { name: "sample begins", group: "note" },
  "inspect.sample": { name: "sample", group: "score" },
  "inspect.score": { name: "score", group: "score" },
  "inspect.score_edit": { name: "score edited", group: "score" },
  "inspect.state": { name: "state", group: "state" },
  "inspect.store": { name: "store", group: "state" },
  "inspect.sandbox": { name: "sandbox", group: "tool" },
  "inspect.span_begin": { name: "span", group: "note" },
  "inspect.span_end": { name: "span ends", group: "note" },
  "inspect.step": { name: "step", group: "note" },
  "swe-agent.step": { name: "editor", group: "state" },
  "swe-agent.demonstration": { name: "demonstration", group: "user" },
  "letta-agent.agent": { name: "agent", group: "state" },
  "letta-agent.block": { name: "memory", group: "state" },
  "letta-agent.summary": { name: "summary", group: "thought" },
  "langgraph.checkpoint": { name: "checkpoint", group: "state" },
  "langgraph.writes": { name: "writes", group: "state" },
};
