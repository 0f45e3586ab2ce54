import { expect, test } from "vitest";
import { pairsOf } from "./pairing";
import { spanOf, type TimelineItem } from "./span";

function call(ordinal: number, more: Partial<TimelineItem> = {}) {
  return spanOf({
    ...{ kind: "call", version: 3, endVersion: 4, step: 1, callId: "a", ordinal },
    ...{ startedAt: "2026-01-05T08:00:00Z", endedAt: "2026-01-05T08:00:04.200Z" },
    ...more,
  });
}

test("calls are paired by their place, whatever the order of results, and ids that come again", () => {
  const spans = [call(1, { endVersion: 7 }), call(0, { outcome: "failed" })];
  const pairs = pairsOf("tool_calls", 3, spans);
  expect(pairs.map((pair) => pair.partner)).toEqual([4, 7]);
  expect(pairs[0]).toMatchObject({ isAsking: true, span: { outcome: "failed" } });
});

test("results lead back to their calls, in the order of the message", () => {
  const spans = [call(5), call(0, { version: 2 }), call(0, { version: null })];
  expect(pairsOf("tool_results", 4, spans).map((pair) => pair.partner)).toEqual([3, 2, null]);
});

test("of calls that are not read yet the others keep their place", () => {
  expect(pairsOf("tool_calls", 3, [call(59)])[59]?.partner).toBe(4);
  expect(pairsOf("tool_calls", 3, [call(59)])[0]).toBeUndefined();
});

test("other messages have no pair", () => {
  expect(pairsOf("reply", 3, [call(0)])).toEqual([]);
  expect(pairsOf("constructor", 3, [call(0)])).toEqual([]);
});
