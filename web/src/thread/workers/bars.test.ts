import { expect, test } from "vitest";
import { barsOf } from "./bars";

const at = (second: number): string => `2026-01-05T08:00:${String(second).padStart(2, "0")}Z`;

test("threads lie on one axis, from the first message of all to the last", () => {
  expect(
    barsOf([
      { firstSentAt: at(10), lastSentAt: at(50) },
      { firstSentAt: at(20), lastSentAt: at(30) },
      { firstSentAt: null, lastSentAt: null },
    ]),
  ).toEqual([{ start: 0, length: 1 }, { start: 0.25, length: 0.25 }, null]);
});

test("without two different times there is no axis", () => {
  expect(barsOf([{ firstSentAt: at(1), lastSentAt: at(1) }])).toEqual([null]);
  expect(barsOf([])).toEqual([]);
});
