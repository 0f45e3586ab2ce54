import { expect, test } from "vitest";
import { hasBroken, standing } from "./standing";

const open = {
  status: "open",
  outcome: null,
  verdict: null,
  judged: null,
  approvalsPending: 0,
  tone: "active",
} as const;

test("a thread that waits for a person says so first", () => {
  expect(standing({ ...open, approvalsPending: 1, tone: "warn" })).toEqual({
    words: "needs approval",
    tone: "warn",
  });
});

test("an outcome says more than a status", () => {
  expect(standing({ ...open, status: "closed", outcome: "error", tone: "bad" }).tone).toBe("bad");
  expect(standing({ ...open, status: "closed", outcome: null }).words).toBe("closed");
  expect(standing(open).words).toBe("open");
  const ended = { ...open, status: "exited", outcome: "complete", tone: "bad" } as const;
  expect(standing({ ...ended, verdict: "failed" }).words).toBe("failed");
  expect(standing({ ...open, verdict: "succeeded" }).words).toBe("succeeded");
  const judged = { ...ended, outcome: "error", judged: "succeeded" } as const;
  expect(standing(judged).words).toBe("succeeded");
});

test("a run with a runtime error is broken, whatever its outcome", () => {
  expect(hasBroken({ outcome: "complete", runtimeErrors: 1 })).toBe(true);
  expect(hasBroken({ outcome: "error", runtimeErrors: 0 })).toBe(true);
  expect(hasBroken({ outcome: "step_limit", runtimeErrors: 0 })).toBe(false);
});
