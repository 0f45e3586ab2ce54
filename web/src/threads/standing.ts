import type { components } from "../api/schema";

export type Summary = components["schemas"]["ThreadSummary"];

export const OUTCOME_WORDS: Record<NonNullable<Summary["outcome"]>, string> = {
  complete: "complete",
  error: "error",
  step_limit: "step limit",
  user_request: "stopped by user",
  closed: "closed",
};

const TONES: Partial<Record<NonNullable<Summary["outcome"]>, "ok" | "warn" | "bad">> = {
  complete: "ok",
  error: "bad",
  step_limit: "warn",
};

export interface Standing {
  readonly words: string;
  /** Class of the badge. */
  readonly tone: "ok" | "warn" | "bad" | "accent" | "";
}

/** The status of a thread, as a badge. */
export function standing(
  thread: Pick<Summary, "status" | "outcome" | "approvalsPending">,
): Standing {
  if (thread.approvalsPending > 0) return { words: "needs approval", tone: "warn" };
  if (thread.outcome !== null) {
    return { words: OUTCOME_WORDS[thread.outcome], tone: TONES[thread.outcome] ?? "" };
  }
  return { words: thread.status, tone: thread.status === "open" ? "accent" : "" };
}

/** Whether a run failed: it ended in an error, or had a runtime error. */
export function hasBroken(thread: Pick<Summary, "outcome" | "runtimeErrors">): boolean {
  return thread.outcome === "error" || thread.runtimeErrors > 0;
}
