import type { Fold } from "../address";

const FOLDED: Partial<Record<string, Fold>> = {
  reasoning: "reasoning",
  log: "log",
  tick: "log",
  llm_request: "model",
  llm_response: "model",
  scratchpad: "scratchpad",
};

export const DEFAULT_FOLDS: readonly Fold[] = ["reasoning", "log", "model"];

/** By which choice of the reader an event is folded away. */
export function foldOf(type: string): Fold | null {
  return FOLDED[type] ?? (type.startsWith("thread.") ? "facts" : null);
}
