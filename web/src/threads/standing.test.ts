import { expect, test } from "vitest";
import { hasBroken, standing } from "./standing";

const open = {
  status: "open",
  outcome: null,
  verdict: null,
  judged: null,
  approvalsPending: 0,
  tone: "active",
  updatedAt: "2026-01-05T12:00:00Z",
  lastSentAt: null,
} as const;
const NOW = Date.parse(open.updatedAt) + 1000;
const now = (thread: Parameters<typeof standing>[0]) => standing(thread, NOW);

test("a thread that waits for a person says so first", () => {
  expect(now({ ...open, approvalsPending: 1, tone: "warn" })).toEqual({
    words: "needs approval",
    tone: "warn",
  });
});

test("an outcome says more than a status", () => {
  expect(now({ ...open, status: "closed", outcome: "error", tone: "bad" }).tone).toBe("bad");
  expect(now({ ...open, status: "closed", outcome: null }).words).toBe("closed");
  expect(now(open).words).toBe("open");
  const ended = { ...open, status: "exited", outcome: "complete", tone: "bad" } as const;
  expect(now({ ...ended, verdict: "failed" }).words).toBe("failed");
  expect(now({ ...open, verdict: "succeeded" }).words).toBe("succeeded");
  const judged = { ...ended, outcome: "error", judged: "succeeded" } as const;
  expect(now(judged).words).toBe("succeeded");
});

test("a run with a runtime error is broken, whatever its outcome", () => {
  expect(hasBroken({ outcome: "complete", runtimeErrors: 1 })).toBe(true);
  expect(hasBroken({ outcome: "error", runtimeErrors: 0 })).toBe(true);
  expect(hasBroken({ outcome: "step_limit", runtimeErrors: 0 })).toBe(false);
});

test("an open thread without an event for 15 minutes is quiet, an imported one by its messages", () => {
  expect(standing(open, NOW + 15 * 60_000)).toEqual({ words: "quiet", tone: "" });
  expect(now({ ...open, lastSentAt: "2025-06-01T12:00:00Z" }).words).toBe("quiet");
  expect(now({ ...open, status: "closed", lastSentAt: "2025-06-01T12:00:00Z" }).words).toBe(
    "closed",
  );
});
