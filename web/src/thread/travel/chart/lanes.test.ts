import { describe, expect, test } from "vitest";
import { axisOf } from "./axis";
import { barAt, firstAfter, rowsOf, toneOf, TONES } from "./lanes";
import { span, timelineOf } from "../spans.testing";

const times = Float64Array.from({ length: 12 }, (_, version) => Math.max(0, version - 1) * 1000);
const course = { last: 11, isTimed: true, times };
const axis = axisOf(times);
const call = (from: number | null, to: number | null) => span({ kind: "call", from, to });
const rows = (...spans: ReturnType<typeof span>[]) => rowsOf(timelineOf(spans), course, axis);

test("lanes without bars are left out, and pauses are no bars", () => {
  const found = rows(span({ kind: "gap", from: 1, to: 2 }), call(2, 3), span({ from: 4, to: 4 }));
  expect(found.map(({ lane }) => lane)).toEqual(["messages", "tools"]);
});

test("calls that overlap have rows of their own, calls in turn share one", () => {
  const found = rows(call(1, 4), call(2, 3), call(4, 6));
  expect(found.map(({ spans }) => spans)).toEqual([[0, 2], [1]]);
});

test("more than three at once share the last row, and each is there", () => {
  const found = rows(...[1, 2, 3, 4, 5].map((from) => call(from, 11)));
  expect(found.map(({ spans }) => spans.length)).toEqual([1, 1, 3]);
});

test("an open call reaches to the end, one that was given up does not", () => {
  const givenUp = span({ kind: "call", from: 2, to: null, suspected: ["unanswered"] });
  const [row, second] = rows(call(1, null), givenUp);
  expect(row?.ends).toEqual([axis.length]);
  expect(second?.ends).toEqual([1000]);
});

test("a result without a call is drawn where it was recorded", () => {
  expect(rows(call(null, 5))[0]).toMatchObject({ starts: [4000], ends: [4000] });
});

describe("the bar at a place", () => {
  const [row] = rows(call(1, 3), call(5, 6), call(6, 6));
  test.each([
    [0, 0],
    [1500, 0],
    [2090, 0],
    [3000, null],
    [3950, 1],
    [4500, 1],
  ])("%d ms", (unit, found) => {
    if (row === undefined) throw new Error("no row");
    expect(barAt(row, unit, 100)).toBe(found);
  });
});

test("a long bar is found behind shorter ones that began later", () => {
  const shared = rows(call(1, 11), call(1, 11), call(1, 11), call(2, 3), call(4, 5)).at(-1);
  if (shared === undefined) throw new Error("no row");
  expect(barAt(shared, 9000, 0)).toBe(0);
});

test("the first value above a limit", () => {
  expect([0, 1, 2, 5, 9].map((limit) => firstAfter([1, 2, 2, 5], limit))).toEqual([0, 1, 3, 4, 4]);
});

test("the worst tone is the last", () => {
  const tones = [
    toneOf(call(1, 2)),
    toneOf(call(1, null)),
    toneOf(span({ suspected: ["empty"] })),
    toneOf(span({ outcome: "failed", suspected: ["empty"] })),
  ];
  expect(tones).toEqual(TONES);
  expect(toneOf(span({ kind: "approval", outcome: "denied" }))).toBe("suspected");
});
