/** What an event is of: its sign and colour. */
export type Group =
  "user" | "agent" | "thought" | "tool" | "model" | "person" | "worker" | "note" | "bad" | "fact";

/** The types of events, with the name that readers see. */
const KINDS: ReadonlyMap<string, readonly [name: string, group: Group]> = new Map([
  ["input", ["input", "user"]],
  ["reply", ["reply", "agent"]],
  ["reasoning", ["reasoning", "thought"]],
  ["scratchpad", ["scratchpad", "thought"]],
  ["tool_calls", ["tool calls", "tool"]],
  ["tool_results", ["tool results", "tool"]],
  ["approval_request", ["approval asked", "person"]],
  ["approval_response", ["approval answered", "person"]],
  ["worker_spawned", ["worker spawned", "worker"]],
  ["worker_result", ["worker result", "worker"]],
  ["llm_request", ["model request", "model"]],
  ["llm_response", ["model response", "model"]],
  ["runtime_error", ["runtime error", "bad"]],
  ["system", ["system", "note"]],
  ["log", ["log", "note"]],
  ["tick", ["tick", "note"]],
  ["shutdown", ["shutdown", "note"]],
  ["exit", ["exit", "note"]],
  ["thread.started", ["thread started", "fact"]],
  ["thread.annotated", ["thread annotated", "fact"]],
  ["thread.closed", ["thread closed", "fact"]],
  ["thread.hidden", ["thread hidden", "fact"]],
  ["thread.shown", ["thread shown", "fact"]],
  ["thread.redacted", ["contents redacted", "fact"]],
]);

const COLOURS: Partial<Record<Group, string>> = {
  user: "var(--user)",
  agent: "var(--agent)",
  thought: "var(--agent)",
  tool: "var(--tool)",
  model: "var(--model)",
  person: "var(--person)",
  worker: "var(--worker)",
  bad: "var(--bad)",
};

/** Returns the name of a type: `tool calls`; an application's own type is its own name. */
export function nameOf(type: string): string {
  return KINDS.get(type)?.[0] ?? type;
}

/** Returns the name as a heading: `Tool calls`. */
export function titleOf(type: string): string {
  const name = nameOf(type);
  return KINDS.has(type) ? name.charAt(0).toUpperCase() + name.slice(1) : name;
}

export function groupOf(type: string): Group {
  return KINDS.get(type)?.[1] ?? "note";
}

/** Returns the colour of a group, as CSS has it; undefined where it has none of its own. */
export function colourOf(group: Group): string | undefined {
  return COLOURS[group];
}
