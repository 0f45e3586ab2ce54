import { describe, expect, test } from "vitest";
import { axisOf } from "./axis";
import { courseOfTimes, span, timelineOf } from "../spans.testing";
import { barAt, firstAfter, FOLDED_ROW, lanesOf, ROW, toneOf, TONES } from "./lanes";

const course = courseOfTimes(
  Array.from({ length: 12 }, (_, version) => Math.max(0, version - 1) * 1000),
);
const axis = axisOf(course);
const call = (from: number | null, to: number | null) => span({ kind: "call", from, to });
const lanes = (folded: string[], ...spans: ReturnType<typeof span>[]) =>
  lanesOf(timelineOf(spans), course, axis, folded);
const rows = (...spans: ReturnType<typeof span>[]) =>
  lanes([], ...spans).flatMap((lane) => lane.rows);

test("lanes without bars are left out, and pauses are no bars", () => {
  const list = rows(span({ kind: "gap", from: 1, to: 2 }), call(2, 3), span({ from: 4, to: 4 }));
  expect(list.map(({ lane }) => lane)).toEqual(["messages", "tools"]);
});

test("calls that overlap have rows of their own, calls in turn share one", () => {
  const list = rows(call(1, 4), call(2, 3), call(4, 6));
  expect(list.map(({ spans }) => spans)).toEqual([[0, 2], [1]]);
});

test("sixty at once have rows of their own up to forty, and each is there", () => {
  const list = rows(...Array.from({ length: 60 }, () => call(1, 11)));
  expect(list.map(({ spans }) => spans.length)).toEqual([...Array<number>(39).fill(1), 21]);
  expect(list.at(-1)?.top).toBe(39 * ROW);
});

test("each worker has a row of its own, also in turn", () => {
  const worker = (from: number, to: number) => span({ kind: "worker", from, to });
  expect(rows(worker(1, 2), worker(3, 4), worker(5, 6)).map(({ spans }) => spans)).toEqual([
    [0],
    [1],
    [2],
  ]);
});

test("a folded lane is one higher row, and says how many it would be; the next lane follows", () => {
  const approval = span({ kind: "approval", from: 2, to: 3 });
  const [tools, approvals] = lanes(["tools", "approvals"], call(1, 4), call(2, 3), approval);
  expect(tools).toMatchObject({ lane: "tools", unfolded: 2, rows: [{ top: 0, spans: [0, 1] }] });
  expect(tools?.rows[0]?.height).toBe(FOLDED_ROW);
  expect(approvals?.rows[0]).toMatchObject({ top: FOLDED_ROW, height: ROW });
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
  ])("%d ms", (unit, bar) => {
    if (row === undefined) throw new Error("no row");
    expect(barAt(row, unit, 100)).toBe(bar);
  });
});

test("a long bar is found behind shorter ones that began later", () => {
  const [shared] = lanes(["tools"], call(1, 11), call(2, 3), call(4, 5)).flatMap(
    (lane) => lane.rows,
  );
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
    toneOf(span({ suspected: ["loop"] })),
    toneOf(span({ kind: "call", outcome: "told", suspected: ["error_text"] })),
    toneOf(span({ outcome: "failed", suspected: ["loop"] })),
  ];
  expect(tones).toEqual(TONES);
  expect(toneOf(span({ kind: "approval", outcome: "denied" }))).toBe("suspected");
});
