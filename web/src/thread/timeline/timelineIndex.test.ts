import { expect, test } from "vitest";
import { type Mark, spanOf, type TimelineItem, wordOf } from "./span";
import { TimelineIndex } from "./timelineIndex";

const AT = "2026-01-05T08:05:0";

function point(version: number, more: Partial<TimelineItem> = {}): TimelineItem {
  return { kind: "input", version, startedAt: `${AT}${version}.000Z`, step: 1, ...more };
}

function call(
  from: number | null,
  to: number | null,
  more: Partial<TimelineItem> = {},
): TimelineItem {
  return {
    ...point(1, { kind: "call", name: "search", outcome: "succeeded", step: 2 }),
    version: from,
    startedAt: from === null ? null : `${AT}${from}.000Z`,
    endVersion: to,
    endedAt: to === null ? null : `${AT}${to}.000Z`,
    suspected: [],
    ...more,
  };
}

function indexOf(...items: TimelineItem[]): TimelineIndex {
  const index = new TimelineIndex();
  for (const item of items) index.add(item);
  return index;
}

test("a span comes out of the columns as it went in", () => {
  const items = [
    point(1),
    call(2, 3, { suspected: ["slow", "empty"], hint: "Rome", totalTokens: 12, costUsd: 0.5 }),
    call(null, 4, { name: null, outcome: null }),
    call(5, null),
  ];
  const index = indexOf(...items);
  expect(items.map((_, position) => index.span(position))).toEqual(items.map(spanOf));
});

test("a point begins and ends at its version", () => {
  const at = Date.parse(`${AT}4.000Z`);
  expect(spanOf(point(4))).toMatchObject({ from: 4, to: 4, startMs: at, endMs: at });
});

test("facts have no time, because theirs is the log's clock", () => {
  const index = indexOf(
    point(1, { kind: "thread.started", startedAt: "2030-01-01T00:00:00Z" }),
    point(2),
  );
  expect(index.span(0).startMs).toBeNull();
  expect(index.lastMs).toBe(Date.parse(`${AT}2.000Z`));
});

test("a call is found where it begins and where it ends, once each", () => {
  const index = indexOf(point(1), call(2, 4), call(2, 3, { ordinal: 1 }));
  const ids = (version: number) => index.at(version, index.length).map(({ ordinal }) => ordinal);
  expect([1, 2, 3, 4].map(ids)).toEqual([[0], [0, 1], [1], [0]]);
});

test("spans that settled later are not among the first ones", () => {
  const index = indexOf(call(2, 3), call(2, 4, { ordinal: 1 }));
  expect(index.at(2, 1).map(({ ordinal }) => ordinal)).toEqual([0]);
});

test("each event has its type, also those that only begin or end a span", () => {
  const index = indexOf(
    point(1),
    call(2, 3),
    { ...call(4, 5), kind: "model", outcome: "failed" },
    point(5, { kind: "runtime_error" }),
  );
  const types = [1, 2, 3, 4, 5, 6].map((version) => index.typeOf(version));
  expect(types).toEqual([
    "input",
    "tool_calls",
    "tool_results",
    "llm_request",
    "runtime_error",
    null,
  ]);
});

test("a failed or suspected span is marked where it ended, a call where it was made", () => {
  const index = indexOf(
    call(2, 4, { outcome: "failed" }),
    call(3, null, { suspected: ["unanswered"] }),
  );
  const versionsWith = (mark: Mark) =>
    [1, 2, 3, 4].filter((version) => index.isMarked(version, mark));
  expect(versionsWith("failed")).toEqual([4]);
  expect(versionsWith("suspected")).toEqual([3]);
  expect(versionsWith("tool")).toEqual([2, 3]);
});

test("an exit is an error only where it says so", () => {
  const exit = (outcome: string) => wordOf(spanOf(point(2, { kind: "exit", outcome })));
  expect([exit("error"), exit("complete")]).toEqual(["failed", null]);
});

test("a span has one word, the strongest, and a failed model call leaves it to its error", () => {
  const word = (fields: Partial<TimelineItem>) => wordOf(spanOf(call(1, 2, fields)));
  expect(word({ outcome: "failed", suspected: ["loop"] })).toBe("failed");
  expect(word({ outcome: "told", suspected: ["error_text"] })).toBe("told");
  expect(word({ outcome: "succeeded", suspected: ["error_text"] })).toBe("suspected");
  expect(word({ kind: "model", outcome: "failed" })).toBeNull();
  expect(word({ outcome: "succeeded" })).toBeNull();
});

test("counts go up to a version, and what nothing reported is null", () => {
  const index = indexOf(
    point(1),
    {
      ...call(2, 3),
      kind: "model",
      inputTokens: 10,
      outputTokens: 5,
      costUsd: 0.25,
      prices: "p 1",
    },
    call(4, 6, { step: 2 }),
  );
  const counts = (version: number) => index.counts(version, index.length);
  expect(counts(1)).toEqual({
    steps: 1,
    toolCalls: 0,
    tokens: null,
    costUsd: null,
    computedCalls: 0,
  });
  expect(counts(4)).toEqual({
    steps: 2,
    toolCalls: 1,
    tokens: 15,
    costUsd: 0.25,
    computedCalls: 1,
  });
  expect(counts(6).steps).toBe(3);
});

test("an event of results belongs to its first caller, unless nothing called for one of them", () => {
  const index = indexOf(call(2, 5), call(3, 5), call(4, 6), call(null, 6));
  expect([2, 3, 5, 6].map((version) => index.callerOf(version))).toEqual([2, 3, 2, 6]);
});
