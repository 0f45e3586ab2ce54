import { expect, test } from "vitest";
import { pieces } from "./pieces";

test("lines stay lines", () => {
  expect(pieces("a\n\nb\n")).toEqual(["a", "", "b", ""]);
});

test("long lines are cut, and never through a character", () => {
  const line = `x${"😀".repeat(3000)}`;
  const found = pieces(line);
  expect(found.join("")).toBe(line);
  expect(found.every((piece) => piece.length <= 2000 && piece.isWellFormed())).toBe(true);
});
