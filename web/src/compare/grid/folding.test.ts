import { expect, test } from "vitest";
import type { Row } from "./alignment";
import { difference, fold, toggleFold } from "./folding";

const rows = (signs: string): Row[] =>
  Array.from(signs, (sign) => ({ isEqual: sign === "=", count: 1, cells: [] }));
const none = () => false;

test("a run of equal rows is folded but for the last before a difference", () => {
  expect(fold(rows("=====x="), none)).toEqual([
    { kind: "fold", row: 0, steps: 4, isOpen: false },
    { kind: "row", row: 4 },
    { kind: "row", row: 5 },
    { kind: "row", row: 6 },
  ]);
});

test("a run at the end is folded whole", () => {
  expect(fold(rows("x===="), none).at(-1)).toEqual({
    kind: "fold",
    row: 1,
    steps: 4,
    isOpen: false,
  });
});

test("an open run shows all of its rows below its line", () => {
  expect(fold(rows("=====x"), (first) => first === 0)).toHaveLength(7);
});

test("differences are found both ways", () => {
  const five = rows("=x==x");
  expect(difference(five, -1, 1)).toBe(1);
  expect(difference(five, 1, 1)).toBe(4);
  expect(difference(five, 4, -1)).toBe(1);
  expect(difference(five, 4, 1)).toBeUndefined();
});

test("a run is unfolded and folded again, also where all were unfolded", () => {
  const five = rows("==x=x");
  expect(toggleFold(new Set(), 3, five)).toEqual(new Set([3]));
  expect(toggleFold(new Set([0, 3]), 3, five)).toEqual(new Set([0]));
  expect(toggleFold("all", 3, five)).toEqual(new Set([0]));
});
