import { expect, test } from "vitest";
import { ThreadTimeline } from "./threadTimeline";
import { spanOf, TimelineIndex } from "./timelineIndex";

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
  expect(at.find("error", 1, 1)).toBe(3);
  expect(at.find("error", 3, 1)).toBe(6);
  expect(at.find("error", 6, 1)).toBeNull();
  expect(at.find("error", 99, -1)).toBe(6);
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
  expect(at.find("error", 6, 1)).toBeNull();
  expect(at.typeOf(8)).toBeNull();
});
