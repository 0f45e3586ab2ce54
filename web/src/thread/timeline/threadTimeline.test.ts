import { expect, test } from "vitest";
import { ThreadTimeline } from "./threadTimeline";
import { spanOf } from "./span";
import { TimelineIndex } from "./timelineIndex";

const OPEN = spanOf({ kind: "call", version: 7, endVersion: null, startedAt: null, step: 4 });

function timeline(): { index: TimelineIndex; at: ThreadTimeline } {
  const index = new TimelineIndex();
  const failed = { kind: "call", version: 2, endVersion: 3, startedAt: null, step: 2 };
  index.add({ kind: "input", version: 1, startedAt: null, step: 1 });
  index.add({ ...failed, outcome: "failed" });
  index.add({ ...failed, version: 4, endVersion: 6, outcome: "failed" });
  index.see(OPEN, 4);
  return { index, at: new ThreadTimeline(index, [OPEN], "open", true) };
}

test("marks are found in both directions, in what is open too", () => {
  const { at } = timeline();
  expect(at.find("failed", 1, 1)).toBe(3);
  expect(at.find("failed", 3, 1)).toBe(6);
  expect(at.find("failed", 6, 1)).toBeNull();
  expect(at.find("failed", 99, -1)).toBe(6);
  expect(at.find("tool", 4, 1)).toBe(7);
});

test("what is open stands after what has settled", () => {
  const { at } = timeline();
  expect(at.length).toBe(4);
  expect(at.span(3)).toBe(OPEN);
  expect(at.at(7)).toEqual([OPEN]);
  expect(at.counts(7).toolCalls).toBe(3);
});

test("a timeline stays as it was when the thread grows", () => {
  const { index, at } = timeline();
  index.add({
    kind: "call",
    version: 7,
    endVersion: 8,
    startedAt: null,
    step: 4,
    outcome: "failed",
  });
  expect(at.at(7)).toEqual([OPEN]);
  expect(at.find("failed", 6, 1)).toBeNull();
  expect(at.typeOf(8)).toBeNull();
});

test("elapsed is up to the last message with a time, and null where none differ", () => {
  const index = new TimelineIndex();
  const at = (seconds: number): string => `2026-01-05T08:00:0${seconds}.000Z`;
  index.add({ kind: "thread.started", version: 1, startedAt: at(9), step: 0 });
  index.add({ kind: "input", version: 2, startedAt: at(1), step: 1 });
  expect(new ThreadTimeline(index, [], "open", true).elapsedMs(2)).toBeNull();
  index.add({ kind: "call", version: 3, endVersion: 4, startedAt: at(2), endedAt: at(5), step: 2 });
  index.add({ kind: "thread.closed", version: 5, startedAt: at(9), step: 2 });
  const timeline = new ThreadTimeline(index, [], "open", true);
  expect([1, 2, 3, 4, 5].map((version) => timeline.elapsedMs(version))).toEqual([
    null,
    0,
    1000,
    4000,
    4000,
  ]);
});
