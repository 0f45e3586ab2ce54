import { expect, test } from "vitest";
import { pieces } from "./pieces";

test("lines stay lines", () => {
  expect(pieces("a\n\nb\n")).toEqual(["a", "", "b", ""]);
});

test("long lines are cut, and never through a character", () => {
  const line = `x${"😀".repeat(3000)}`;
  const parts = pieces(line);
  expect(parts.join("")).toBe(line);
  expect(parts.every((piece) => piece.length <= 2000 && piece.isWellFormed())).toBe(true);
});
