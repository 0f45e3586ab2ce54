import { expect, test } from "vitest";
import { courseOfTimes, span, timelineOf } from "../spans.testing";
import { axisOf } from "./axis";
import { lanesOf } from "./lanes";
import { piecesOf } from "./pieces";

const course = courseOfTimes([0, 0, 1, 500, 1000, 5000, 10_000]);
const axis = axisOf(course);
const call = (from: number, to: number, outcome: string | null = null) =>
  span({ kind: "call", from, to, outcome });

function piecesIn(...spans: ReturnType<typeof span>[]) {
  const [lane] = lanesOf(timelineOf(spans), course, axis, ["tools"]);
  const [row] = lane?.rows ?? [];
  if (row === undefined) throw new Error("no row");
  return piecesOf(row, { from: 0, to: axis.length }, 100);
}

test("bars that overlap are one piece, bars in turn one each", () => {
  expect(piecesIn(call(1, 4), call(3, 5), call(5, 6))).toEqual([
    { index: 0, from: 0, to: 50, count: 2 },
    { index: 2, from: 50, to: 100, count: 1 },
  ]);
});

test("of what shares a pixel the worst is drawn", () => {
  expect(piecesIn(call(1, 2), call(2, 2, "failed"), call(5, 6))).toEqual([
    { index: 1, from: 0, to: 0, count: 1 },
    { index: 2, from: 50, to: 100, count: 1 },
  ]);
});
