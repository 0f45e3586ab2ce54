import { expect, test } from "vitest";
import { changeText, placeOf } from "./tree";

test("the first changes are named, the others counted", () => {
  const edits = [1, 2, 3, 4, 5, 6].map((version) => ({ kind: "drop" as const, version }));
  expect(changeText(edits.slice(0, 2))).toBe("drop 1, drop 2");
  expect(changeText(edits)).toBe("drop 1, drop 2, drop 3, drop 4 and 2 more");
});

test("keys go from thread to thread and stop at the ends", () => {
  expect(placeOf("ArrowDown", 0, 3)).toBe(1);
  expect(placeOf("ArrowDown", 2, 3)).toBe(2);
  expect(placeOf("ArrowUp", 0, 3)).toBe(0);
  expect(placeOf("Home", 2, 3)).toBe(0);
  expect(placeOf("End", 0, 3)).toBe(2);
  expect(placeOf("x", 1, 3)).toBeNull();
});
