import { expect, test } from "vitest";
import { courseOfTimes, span, timelineOf } from "../spans.testing";
import { criticalPath } from "./critical";

const course = courseOfTimes([0, 0, 1000, 2000, 3000, 4000, 5000, 6000]);
const pathOf = (...spans: ReturnType<typeof span>[]) => criticalPath(timelineOf(spans), course);
const call = (from: number, to: number | null) => span({ kind: "call", from, to });
const model = (from: number, to: number) => span({ kind: "model", from, to });

test("of calls at once the run waited for the one that ended last", () => {
  const { spans, elapsed } = pathOf(model(1, 2), call(2, 3), call(2, 5), call(2, 4), model(5, 7));
  expect([...spans]).toEqual([4, 2, 0]);
  expect(Object.fromEntries(elapsed)).toEqual({ model: 3000, call: 3000 });
});

test("what ended while a later one was at work is not on it", () => {
  expect([...pathOf(call(1, 4), call(3, 7)).spans]).toEqual([1]);
});

test("messages and spans without a length are not on it, an open call is", () => {
  const { spans } = pathOf(span({ from: 3, to: 3 }), call(2, 2), call(4, null));
  expect([...spans]).toEqual([2]);
});

test("without times there is none", () => {
  const untimed = { ...course, isTimed: false };
  expect(criticalPath(timelineOf([call(1, 4)]), untimed).spans.size).toBe(0);
});

test("the path never overlaps itself, and is found in 20,000 spans", () => {
  const many = Array.from({ length: 20_000 }, (_, index) =>
    call(index + 1, index + 1 + (index % 7)),
  );
  const long = courseOfTimes(Array.from({ length: 20_010 }, (_, version) => version * 10));
  const { spans } = criticalPath(timelineOf(many), long);
  const path = [...spans].map((index) => many[index]);
  path.forEach((step, index) => {
    expect(step?.from ?? 0).toBeGreaterThanOrEqual(path[index + 1]?.to ?? 0);
  });
});
