import { expect, test } from "vitest";
import { sharesIn, sharesOf, shift } from "./shares";

test("a divider gives one side what the other loses", () => {
  expect(shift([0.4, 0.3, 0.3], 1, 0.125)).toEqual([0.4, 0.425, 0.175]);
});

test("no side becomes too narrow", () => {
  expect(shift([0.5, 0.25, 0.25], 0, -0.9)[0]).toBeCloseTo(0.15);
  expect(shift([0.5, 0.25, 0.25], 0, 0.9)[1]).toBeCloseTo(0.15);
});

test("kept shares are used only if they are valid", () => {
  const usual = [0.5, 0.5];
  expect(sharesIn("0.2 0.8", usual)).toEqual([0.2, 0.8]);
  for (const text of [null, "", "1 2", "0.5", "x y", "0.01 0.99"]) {
    expect(sharesIn(text, usual)).toEqual(usual);
  }
});

test("the first pane has the room of those that are left out", () => {
  expect(sharesOf([0.25, 0.25, 0.5], 3)).toEqual([0.25, 0.25, 0.5]);
  expect(sharesOf([0.25, 0.25, 0.5], 2)).toEqual([0.5, 0.5]);
});
