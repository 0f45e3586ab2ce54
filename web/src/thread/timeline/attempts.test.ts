import { expect, test } from "vitest";
import { attemptBeside, seriesOf } from "./attempts";
import { type Attempt, spanOf, type TimelineItem } from "./span";
import { ThreadTimeline } from "./threadTimeline";
import { TimelineIndex } from "./timelineIndex";

function call(version: number, endVersion: number | null, attempt: Attempt | null): TimelineItem {
  return { kind: "call", version, endVersion, startedAt: null, step: version, ordinal: 0, attempt };
}

function timeline(): ThreadTimeline {
  const index = new TimelineIndex();
  index.add(call(1, 2, null));
  index.add(call(3, 4, null));
  index.add(call(5, 6, { number: 2, version: 1, ordinal: 0 }));
  const open = spanOf(call(7, null, { number: 3, version: 5, ordinal: 0 }));
  index.see(open, 7);
  const before = new ThreadTimeline(index, [open], "open", true);
  index.add(call(8, 9, { number: 4, version: 7, ordinal: 0 })); // it was not there yet
  return before;
}

test("a call knows the attempts before and after it, open ones too", () => {
  const [first, other, second] = [0, 1, 2].map((index) => timeline().span(index));
  if (first === undefined || other === undefined || second === undefined) throw new Error("none");
  expect(seriesOf(timeline(), first)?.attempts.map(({ from }) => from)).toEqual([1, 5, 7]);
  expect(seriesOf(timeline(), second)?.index).toBe(1);
  expect(seriesOf(timeline(), other)).toBeNull();
});

test("from a call one goes to calls, from a result to results", () => {
  expect(attemptBeside(timeline(), 1, 1)).toBe(5);
  expect(attemptBeside(timeline(), 2, 1)).toBe(6);
  expect(attemptBeside(timeline(), 6, 1)).toBe(7); // which has no result
  expect(attemptBeside(timeline(), 6, -1)).toBe(2);
  expect(attemptBeside(timeline(), 1, -1)).toBeNull();
  expect(attemptBeside(timeline(), 3, 1)).toBeNull();
});
