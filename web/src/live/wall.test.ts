import { expect, test } from "vitest";
import type { StoredEvent } from "../thread/history/events";
import type { Summary } from "../threads/standing";
import { QUIET_MS } from "../parts/activity";
import { costPerMinute, pendingOf, wallOf } from "./wall";

const NOW = Date.parse("2026-01-05T12:00:00Z");
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

function summary(threadId: string, fields: Partial<Summary>): Summary {
  const own = { threadId, approvalsPending: 0, startedAt: ago(9e6), updatedAt: ago(1000) };
  return { ...own, costUsd: null, durationMs: null, ...fields } as Summary;
}

test("who waits the longest comes first, then what is at work, and the quiet are counted", () => {
  const wall = wallOf(
    [
      summary("working", { startedAt: ago(5000) }),
      summary("newer", { startedAt: ago(2000) }),
      summary("asked", { approvalsPending: 1, updatedAt: ago(1000) }),
      summary("forgotten", { approvalsPending: 2, updatedAt: ago(2 * QUIET_MS) }),
      summary("quiet", { updatedAt: ago(QUIET_MS) }),
      summary("imported just now", { lastSentAt: ago(QUIET_MS) }),
    ],
    9,
    NOW,
  );
  expect(wall.waiting.map(({ threadId }) => threadId)).toEqual(["forgotten", "asked"]);
  expect(wall.atWork.map(({ threadId }) => threadId)).toEqual(["newer", "working"]);
  expect(wall.quiet).toBe(5);
});

test("cost a minute is over the time that a thread ran, and unknown is not 0", () => {
  expect(costPerMinute(summary("a", { costUsd: 0.5, durationMs: 120_000 }))).toBe(0.25);
  expect(costPerMinute(summary("a", { costUsd: null, durationMs: 120_000 }))).toBeNull();
  expect(costPerMinute(summary("a", { costUsd: 0.5, durationMs: 0 }))).toBeNull();
});

function event(version: number, type: string, message: StoredEvent["message"]): StoredEvent {
  const recordedAt = ago(version);
  return { version, recordedAt, type, kind: "message", message, metadata: {}, bytes: 1 };
}

test("requests wait until they are answered; one that is asked again waits again", () => {
  const events = [
    event(1, "approval_request", { callId: "a", tool: "pay", args: { amount: 5 }, reason: "big" }),
    event(2, "approval_request", { callId: "b", tool: "mail" }),
    event(3, "approval_response", { callId: "a", approved: true }),
    event(4, "approval_request", { callId: "a", tool: "pay" }),
    event(5, "approval_request", { tool: "nothing names it" }),
  ];
  expect(pendingOf(events.slice(0, 3))).toEqual([
    { callId: "b", version: 2, tool: "mail", args: null, reason: null, askedAt: ago(2) },
  ]);
  expect(pendingOf(events).map(({ callId, version }) => [callId, version])).toEqual([
    ["b", 2],
    ["a", 4],
  ]);
});
