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

/** The fold, an option of the reader, that an event belongs to. */
export function foldOf(type: string): Fold | null {
  return FOLDED[type] ?? (type.startsWith("thread.") ? "facts" : null);
}
