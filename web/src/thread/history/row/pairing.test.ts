import { expect, test } from "vitest";
import { spanOf, type TimelineItem } from "../../timeline/timelineIndex";
import { paired } from "./pairing";

function call(callId: string | null, more: Partial<TimelineItem> = {}) {
  return spanOf({
    ...{ kind: "call", version: 3, endVersion: 4, step: 1, callId },
    ...{ startedAt: "2026-01-05T08:00:00Z", endedAt: "2026-01-05T08:00:04.200Z" },
    ...more,
  });
}

function line(callId: string | null) {
  return { name: "run", text: "", callId };
}

test("calls are paired with their results by id, whatever the order", () => {
  const spans = [call("b", { endVersion: 7 }), call("a", { outcome: "failed" })];
  const pairs = paired("tool_calls", 3, [line("a"), line("b")], spans);
  expect(pairs.map((pair) => pair?.partner)).toEqual([4, 7]);
  expect(pairs[0]).toMatchObject({ isAsking: true, elapsedMs: 4200, span: { outcome: "failed" } });
});

test("a result leads back to its call", () => {
  const [pair] = paired("tool_results", 4, [line("a")], [call("a")]);
  expect(pair).toMatchObject({ partner: 3, isAsking: false });
});

test("results without an id are paired in their order", () => {
  const spans = [call("a"), call("b", { version: 2 })];
  const pairs = paired("tool_results", 4, [line(null), line(null)], spans);
  expect(pairs.map((pair) => pair?.partner)).toEqual([3, 2]);
});

test("an open call has no partner and no time, an orphan no call", () => {
  const open = call("a", { endVersion: null, endedAt: null });
  expect(paired("tool_calls", 3, [line("a")], [open])[0]).toMatchObject({
    partner: null,
    elapsedMs: null,
  });
  const orphan = call("a", { version: null, startedAt: null });
  expect(paired("tool_results", 4, [line("a")], [orphan])[0]).toMatchObject({ partner: null });
});

test("no time is shown where the clock stood still or ran backwards", () => {
  const span = call("a", { endedAt: "2026-01-05T07:59:00Z" });
  expect(paired("tool_calls", 3, [line("a")], [span])[0]?.elapsedMs).toBeNull();
});

test("other messages have no pair", () => {
  expect(paired("reply", 3, [line(null)], [call("a")])).toEqual([null]);
});
