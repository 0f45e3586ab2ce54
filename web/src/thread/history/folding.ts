import { kindOf } from "../../parts/kinds";
import type { Fold } from "../address";

/** Events of Inspect's logs that say nothing of what the agent did. */
const MACHINERY =
  /^inspect\.(?:eval|sample|sample_init|sandbox|span_begin|span_end|state|step|store|subtask)$/;

/** Of cards a thought is one of two lines. */
export const CARD_FOLDS: readonly Fold[] = ["log", "model", "machinery"];
export const DEFAULT_FOLDS: readonly Fold[] = ["reasoning", ...CARD_FOLDS];

/** The fold, an option of the reader, that an event belongs to. */
export function foldOf(type: string): Fold | null {
  if (MACHINERY.test(type)) return "machinery";
  const { group, fold } = kindOf(type);
  return group === "fact" ? "facts" : (fold ?? null);
}
