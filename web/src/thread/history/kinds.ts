import type { Fold } from "../address";

/** What an event is of: its colour and sign. */
export type Group =
  "user" | "agent" | "thought" | "tool" | "model" | "person" | "worker" | "note" | "bad" | "fact";

const GROUPS: Partial<Record<string, Group>> = {
  input: "user",
  reply: "agent",
  reasoning: "thought",
  scratchpad: "thought",
  tool_calls: "tool",
  tool_results: "tool",
  approval_request: "person",
  approval_response: "person",
  worker_spawned: "worker",
  worker_result: "worker",
  llm_request: "model",
  llm_response: "model",
  runtime_error: "bad",
};

const FOLDED: Partial<Record<string, Fold>> = {
  reasoning: "reasoning",
  log: "log",
  tick: "log",
  llm_request: "model",
  llm_response: "model",
  scratchpad: "scratchpad",
};

const AGENTS = new Set(["llm_request", "llm_response", "reasoning", "reply", "tool_calls"]);

export const DEFAULT_FOLDS: readonly Fold[] = ["reasoning", "log", "model"];

export function groupOf(type: string): Group {
  return GROUPS[type] ?? (type.startsWith("thread.") ? "fact" : "note");
}

/** By which choice of the reader an event is folded away. */
export function foldOf(type: string): Fold | null {
  return FOLDED[type] ?? (type.startsWith("thread.") ? "facts" : null);
}

/** A type as the reader sees it: tool calls. */
export function nameOf(type: string): string {
  return type.replace("thread.", "thread ").replaceAll("_", " ").replace(/^llm /, "model ");
}

/** Whether an event is a model's output, or asks for it. */
export function isAgents(type: string): boolean {
  return AGENTS.has(type);
}
