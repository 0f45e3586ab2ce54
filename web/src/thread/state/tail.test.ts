import { expect, test } from "vitest";
import { type Items, keptItems, moveAnchor, tailBegin } from "./tail";

test("a tail begins at the same version for neighbours, and never before the thread", () => {
  expect(tailBegin(150, 200)).toBe(0);
  expect(tailBegin(99_999, 200)).toBe(99_700);
  expect(tailBegin(99_998, 200)).toBe(99_700);
});

test("items are kept up to the first that differs", () => {
  const kept = { role: "user", content: "a" };
  expect(keptItems([kept, { role: "user" }], [{ ...kept }, { role: "tool" }, kept])).toBe(1);
  expect(keptItems([kept], [kept, kept])).toBe(1);
  expect(keptItems([kept, kept], [kept])).toBe(1);
});

test("items keep their numbers as earlier ones come, and as the cursor moves", () => {
  const tail = (at: number, after: number, length: number): Items => ({
    at,
    after,
    items: Array.from({ length }, () => null),
    size: 0,
  });
  const begun = moveAnchor(null, tail(500, 300, 200));
  const moved = moveAnchor(begun, tail(501, 300, 201));
  expect([begun.first, moved.first]).toEqual([0, 0]);
  expect(moveAnchor(moved, tail(501, 100, 401)).first).toBe(-200);
});
