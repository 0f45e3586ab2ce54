import { expect, test } from "vitest";
import { courseOfTimes } from "../spans.testing";
import { axisOf } from "./axis";
import { ticksOf } from "./ticks";

function texts(times: number[], { isTimed = true, most = 5 } = {}) {
  const axis = axisOf({ ...courseOfTimes(times), isTimed });
  return ticksOf(axis, { from: 0, to: axis.length || 1 }, isTimed, most).map(({ text }) => text);
}

test("times are round, and evenly spaced", () => {
  expect(texts([0, 28_000])).toEqual(["0", "10 s", "20 s"]);
  expect(texts([0, 2_100], { most: 8 })).toEqual(["0", "500 ms", "1 s", "1.5 s", "2 s"]);
  expect(texts([0, 50_000], { most: 10 })).toEqual(
    [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50].map((time) => (time === 0 ? "0" : `${time} s`)),
  );
});

test("ticks after a pause that is cut are as round as those before it", () => {
  const work = Array.from({ length: 60 }, (_, second) => second * 1000);
  const labels = texts([...work, ...work.map((time) => time + 86_400_000)], { most: 16 });
  expect(labels.filter((text) => !/^(0|1 d|(1 d )?[1-5]0 s)$/.test(text))).toEqual([]);
  expect(labels.filter((text) => text.startsWith("1 d")).length).toBeGreaterThan(2);
});

test("ticks never fall, and stay on the axis, whatever its pauses", () => {
  const axis = axisOf(courseOfTimes([0, 900, 86_400_000, 86_401_700, 86_500_000]));
  const ticks = ticksOf(axis, { from: 0, to: axis.length }, true, 8);
  const shares = ticks.map(({ share }) => share);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
  expect(ticks.length).toBeLessThanOrEqual(9);
});

test("versions are whole and round, and none comes twice", () => {
  expect(texts([0, 1, 2], { isTimed: false, most: 10 })).toEqual(["v1", "v2", "v3"]);
  expect(texts([0], { isTimed: false, most: 10 })).toEqual(["v1"]);
  const many = Array.from({ length: 1000 }, (_, version) => version);
  expect(texts(many, { isTimed: false, most: 5 })).toEqual([
    "v200",
    "v400",
    "v600",
    "v800",
    "v1000",
  ]);
});
