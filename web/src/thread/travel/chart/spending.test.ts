import { expect, test } from "vitest";
import { courseOfTimes, span, timelineOf } from "../spans.testing";
import { axisOf } from "./axis";
import { costUpTo, spendingOf } from "./spending";

const course = courseOfTimes([0, 0, 1000, 2000, 3000]);
const axis = axisOf(course);
const call = (to: number, tokens: number | null, costUsd: number | null) =>
  span({ kind: "model", from: 1, to, tokens, costUsd });
const spending = (...spans: ReturnType<typeof span>[]) =>
  spendingOf(timelineOf(spans), course, axis);

test("tokens are of each call, costs add up, by time", () => {
  expect(spending(call(4, 50, 0.25), call(2, 100, null), span({}), call(3, null, 0.5))).toEqual({
    units: [1000, 2000, 3000],
    tokens: [100, 0, 50],
    costs: [0, 0.5, 0.75],
    mostTokens: 100,
    wholeCost: 0.75,
    computedCalls: 0,
  });
});

test("nothing is drawn where no call says anything", () => {
  expect(spending(span({}), call(2, null, null))).toBeNull();
});

test("the cost up to a place is of the calls answered by then, and unknown is not 0", () => {
  const both = spending(call(2, 1, 0.25), call(3, 1, 0.5));
  const none = spending(call(2, 1, null));
  if (both === null || none === null) throw new Error("nothing spent");
  expect([0, 1000, 2500].map((unit) => costUpTo(both, unit))).toEqual([0, 0.25, 0.75]);
  expect(costUpTo(none, 2500)).toBeNull();
});
