import { kindOf } from "../../parts/kinds";
import type { Fold } from "../address";

/** Of cards a thought is one of two lines. */
export const CARD_FOLDS: readonly Fold[] = ["log", "model", "machinery"];
export const DEFAULT_FOLDS: readonly Fold[] = ["reasoning", ...CARD_FOLDS];

/** The fold, an option of the reader, that an event belongs to. */
export function foldOf(type: string): Fold | null {
  const { group, fold } = kindOf(type);
  return group === "fact" ? "facts" : (fold ?? null);
}
