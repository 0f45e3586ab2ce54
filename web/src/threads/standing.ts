import type { components } from "../api/schema";
import { type Activity, isQuiet } from "../parts/activity";

export type Summary = components["schemas"]["ThreadSummary"];

export const OUTCOME_WORDS: Record<NonNullable<Summary["outcome"]>, string> = {
  complete: "complete",
  error: "error",
  step_limit: "step limit",
  user_request: "stopped by user",
  closed: "closed",
};

/** Classes of badges. */
const TONES = { good: "ok", warn: "warn", bad: "bad", active: "accent", neutral: "" } as const;

export interface Standing {
  readonly words: string;
  /** Class of the badge. */
  readonly tone: (typeof TONES)[Summary["tone"]];
}

/** The status of a thread, as a badge: what it came to, where that is known. */
export function standing(
  thread: Activity &
    Pick<Summary, "status" | "outcome" | "verdict" | "judged" | "approvalsPending" | "tone">,
  now: number,
): Standing {
  const tone = TONES[thread.tone];
  if (thread.approvalsPending > 0) return { words: "needs approval", tone };
  const { outcome, verdict, judged } = thread;
  if (judged !== null) return { words: judged, tone };
  if (verdict !== null && (outcome ?? "complete") === "complete") {
    return { words: verdict === "failed" ? "failed" : (outcome ?? "succeeded"), tone };
  }
  if (outcome === null && isQuiet(thread, now)) return { words: "quiet", tone: "" };
  return { words: thread.outcome === null ? thread.status : OUTCOME_WORDS[thread.outcome], tone };
}

/** Whether a run failed: it ended in an error, or had a runtime error. */
export function hasBroken(thread: Pick<Summary, "outcome" | "runtimeErrors">): boolean {
  return thread.outcome === "error" || thread.runtimeErrors > 0;
}
