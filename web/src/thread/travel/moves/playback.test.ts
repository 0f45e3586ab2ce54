import { expect, test } from "vitest";
import { advance, pauseAfter } from "./playback";

const times = Float64Array.of(0, 0, 500, 500, 100_500);

test("pauses are as they were, divided by the speed", () => {
  expect(pauseAfter(1, times, 1)).toBe(500);
  expect(pauseAfter(1, times, 10)).toBe(50);
});

test("an idle gap takes a second at most", () => {
  expect(pauseAfter(3, times, 1)).toBe(1000);
  expect(pauseAfter(3, times, 10)).toBe(1000);
});

test("versions of the same time follow quickly", () => {
  expect(pauseAfter(2, times, 1)).toBe(100);
  expect(pauseAfter(2, times, 100)).toBe(1);
});

test("a frame may pass several versions, and keeps what it has waited", () => {
  const begun = { version: 1, waited: 0 };
  const frame = { times, speed: 1, last: 4 } as const;
  expect(advance(begun, 499, frame)).toEqual({ version: 1, waited: 499 });
  expect(advance(begun, 650, frame)).toEqual({ version: 3, waited: 50 });
});

test("it stops at the end", () => {
  const frame = { times, speed: 100, last: 4 } as const;
  expect(advance({ version: 1, waited: 0 }, 1e6, frame)).toEqual({ version: 4, waited: 0 });
});
