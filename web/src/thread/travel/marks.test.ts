import { expect, test } from "vitest";
import { next, pixelsOf, placeOf, versionOn, withMark } from "./marks";

test("versions lie from one end of the track to the other", () => {
  expect([1, 6, 11].map((version) => placeOf(version, 11, 500))).toEqual([0, 250, 500]);
  expect(placeOf(1, 1, 500)).toBe(0);
});

test("a place on the track is the nearest version, and outside the first or last", () => {
  expect([-9, 0, 24, 26, 999].map((x) => versionOn(x, 11, 500))).toEqual([1, 1, 1, 2, 11]);
  expect(versionOn(5, 11, 0)).toBe(1);
});

test("100,000 versions take no more pixels than the track has", () => {
  const versions = Array.from({ length: 100_000 }, (_, index) => index + 1);
  expect(pixelsOf(versions, 100_000, 300).length).toBe(301);
});

test("all versions with a mark are found once", () => {
  const errors = [3, 4, 9];
  const timeline = { find: (_: unknown, from: number, by: 1 | -1) => next(errors, from, by) };
  expect(withMark(timeline, "failed")).toEqual(errors);
});

test("the next and the previous mark are never at the cursor", () => {
  expect([next([3, 4, 9], 4, 1), next([3, 4, 9], 4, -1)]).toEqual([9, 3]);
  expect([next([3, 4, 9], 9, 1), next([3, 4, 9], 3, -1)]).toEqual([null, null]);
});
