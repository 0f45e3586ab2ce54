import { expect, test } from "vitest";
import { axisOf } from "./axis";
import { ticksOf } from "./ticks";

function texts(times: number[], { isTimed = true, most = 5 } = {}) {
  const axis = axisOf(Float64Array.from(times));
  return ticksOf(axis, { from: 0, to: axis.length || 1 }, isTimed, most).map(({ text }) => text);
}

test("times are round", () => {
  expect(texts([0, 28_000])).toEqual(["0", "5.0 s", "10 s", "15 s", "20 s", "28 s"]);
  expect(texts([0, 7_000], { most: 3 })).toEqual(["0", "2.0 s", "4.0 s", "7.0 s"]);
});

test("ticks never fall, and stay on the axis, whatever its pauses", () => {
  const axis = axisOf(Float64Array.from([0, 900, 86_400_000, 86_401_700, 86_500_000]));
  const ticks = ticksOf(axis, { from: 0, to: axis.length }, true, 8);
  const shares = ticks.map(({ share }) => share);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
});

test("versions are whole, and none comes twice", () => {
  expect(texts([0, 1, 2], { isTimed: false, most: 10 })).toEqual(["v1", "v2", "v3"]);
  expect(texts([0], { isTimed: false, most: 10 })).toEqual(["v1"]);
});
