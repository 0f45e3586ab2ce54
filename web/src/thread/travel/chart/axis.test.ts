import { describe, expect, test } from "vitest";
import { courseOfTimes } from "../spans.testing";
import { axisOf, longestPause, rangeIn, scale, zoomTo } from "./axis";

const MINUTE = 60_000;

test("an axis without long pauses is linear", () => {
  const axis = axisOf(courseOfTimes([0, 0, 1000, 5000]));
  expect(axis.length).toBe(5000);
  expect(axis.gaps).toEqual([]);
  expect(axis.toUnit(2500)).toBe(2500);
  expect(axis.toTime(2500)).toBe(2500);
});

describe("a day of silence between two minutes of work", () => {
  const work = Array.from({ length: 61 }, (_, second) => second * 1000);
  const day = 86_400_000;
  const axis = axisOf(courseOfTimes([...work, ...work.map((time) => time + day)]));

  test("is cut, and takes at most a quarter of the axis", () => {
    expect(axis.gaps).toHaveLength(1);
    const [gap] = axis.gaps;
    expect(gap).toMatchObject({ from: MINUTE, to: day, start: MINUTE });
    expect((gap?.end ?? 0) - (gap?.start ?? 0)).toBeLessThanOrEqual(axis.length / 4);
  });

  test("leaves the work to scale", () => {
    expect(axis.toUnit(30_000)).toBe(30_000);
    expect(axis.length - axis.toUnit(day + 30_000)).toBe(30_000);
  });

  test("has every time at one place, and back", () => {
    for (const time of [0, 500, MINUTE, day / 2, day, day + MINUTE]) {
      expect(axis.toTime(axis.toUnit(time))).toBeCloseTo(time, 3);
    }
  });

  test("what lies outside is at the ends", () => {
    expect(axis.toUnit(-5)).toBe(0);
    expect(axis.toUnit(9e9)).toBe(axis.length);
    expect(axis.toTime(9e9)).toBe(day + MINUTE);
  });
});

test("where most pauses are long, the limit falls so that the work is seen", () => {
  const turn = [1000, 1000, 1000, 1000, 1000, 3_600_000];
  expect(longestPause(Array.from({ length: 20 }, () => turn).flat())).toBe(5000);
});

test("where all pauses are long and alike, none is cut", () => {
  const axis = axisOf(courseOfTimes([0, 100_000, 200_000, 300_000]));
  expect(axis.gaps).toEqual([]);
  expect(axis.toUnit(100_000)).toBeCloseTo(axis.length / 3);
});

test("where all pauses are long, the longest are cut to the median", () => {
  expect(longestPause([100_000, 110_000, 900_000])).toBe(60_000);
});

describe("a run of two seconds in which nothing was open for most of the time", () => {
  const busy = Int32Array.of(0, 1, 0, 1, 0, 0);
  const times = Float64Array.of(0, 0, 100, 1850, 2000, 2100);
  const course = { times, busy, isTimed: true };

  test("has that pause cut, so that its work is seen", () => {
    const { gaps, length } = axisOf(course);
    expect(gaps).toMatchObject([{ from: 100, to: 1850 }]);
    expect(length).toBeLessThan(600);
  });

  test("keeps its length where something was open", () => {
    expect(axisOf({ ...course, busy: Int32Array.of(0, 1, 1, 1, 0, 0) }).gaps).toEqual([]);
  });

  test("keeps its length where all pauses are alike, or nothing has a time", () => {
    const even = { busy: new Int32Array(4), times: Float64Array.of(0, 0, 1000, 2000) };
    expect(axisOf({ ...even, isTimed: true }).gaps).toEqual([]);
    expect(axisOf({ ...course, isTimed: false }).gaps).toEqual([]);
  });
});

test("an axis of one moment has no length", () => {
  expect(axisOf(courseOfTimes([0, 0])).length).toBe(0);
});

describe("a zoom in the address", () => {
  const axis = axisOf(courseOfTimes(Array.from({ length: 11 }, (_, index) => index * 1000)));

  test("names milliseconds, and is read as it was printed", () => {
    const range = { from: 1000, to: 4000 };
    expect(zoomTo(range, axis)).toBe("1000-4000");
    expect(rangeIn("1000-4000", axis)).toEqual(range);
  });

  test.each(["", "x", "5-", "-5", "4000-1000", "20000-30000", "1-2-3"])("%j is none", (zoom) => {
    expect(rangeIn(zoom, axis)).toBeNull();
  });

  test("narrows around the cursor, which keeps its place", () => {
    expect(scale({ from: 0, to: 10_000 }, 0.5, 2000, axis)).toEqual({ from: 1000, to: 6000 });
  });

  test("centres a cursor that was out of sight", () => {
    expect(scale({ from: 0, to: 2000 }, 0.5, 8000, axis)).toEqual({ from: 7500, to: 8500 });
  });

  test("widens to no more than the whole", () => {
    expect(scale({ from: 4000, to: 9000 }, 4, 5000, axis)).toEqual({ from: 0, to: 10_000 });
  });
});
