import { expect, test } from "vitest";
import { courseOf, versionAt } from "./course";
import { courseOfTimes, span, timelineOf } from "./spans.testing";

test("times count from the first message; a version without a time has that of the one before", () => {
  const timeline = timelineOf([
    span({ kind: "thread.started", from: 1, to: 1 }),
    span({ kind: "input", from: 2, to: 2, startMs: 5000, endMs: 5000 }),
    span({ kind: "call", from: 3, to: 5, startMs: 6000, endMs: 9000 }),
  ]);
  const course = courseOf(timeline, 5);
  expect([...course.times]).toEqual([0, 0, 0, 1000, 1000, 4000]);
  expect(course.isTimed).toBe(true);
});

test("times do not decrease where the clock ran backwards", () => {
  const spans = [5000, 7000, 6000, 8000].map((time, index) =>
    span({ from: index + 1, to: index + 1, startMs: time, endMs: time }),
  );
  expect([...courseOf(timelineOf(spans), 4).times]).toEqual([0, 0, 2000, 2000, 3000]);
});

test("messages of one time are placed in their order", () => {
  const spans = [1, 2, 3].map((version) =>
    span({ from: version, to: version, startMs: 5000, endMs: 5000 }),
  );
  const course = courseOf(timelineOf(spans), 3);
  expect(course.isTimed).toBe(false);
  expect([...course.times]).toEqual([0, 0, 1, 2]);
});

test("the version at a time is the last one that had happened", () => {
  const course = courseOfTimes([0, 0, 10, 10, 30]);
  expect([-5, 0, 9, 10, 29, 99].map((time) => versionAt(course, time))).toEqual([1, 1, 1, 3, 3, 4]);
});

test("it says between which versions something was open", () => {
  const spans = [
    span({ kind: "call", from: 1, to: 3 }),
    span({ kind: "model", from: 2, to: 3 }),
    span({ kind: "input", from: 4, to: 4 }),
    span({ kind: "call", from: 4, to: null, suspected: ["unanswered"] }),
    span({ kind: "worker", from: 5, to: null }),
  ];
  expect([...courseOf(timelineOf(spans), 6).busy].slice(1, 6)).toEqual([1, 2, 0, 0, 1]);
});
