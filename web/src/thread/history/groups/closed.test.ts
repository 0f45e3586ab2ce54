import { expect, test } from "vitest";
import { Closed } from "./closed";

const OUTER = { version: 9, depth: 0 };
const INNER = { version: 13, depth: 1 };

test("an address names the groups that are folded", () => {
  const closed = new Closed("v9,v13");
  expect([OUTER, INNER, { version: 49, depth: 0 }].map((group) => closed.has(group))).toEqual([
    ...[true, true, false],
  ]);
  expect(new Closed(undefined).has(OUTER)).toBe(false);
});

test("all are the outermost groups, but those that are named", () => {
  const closed = new Closed("all,-v9");
  expect([OUTER, INNER, { version: 49, depth: 0 }].map((group) => closed.has(group))).toEqual([
    ...[false, false, true],
  ]);
});

test("a group is folded and opened again", () => {
  expect(new Closed(undefined).with(OUTER, true)).toBe("v9");
  expect(new Closed("v9").with(INNER, true)).toBe("v9,v13");
  expect(new Closed("v9").with(OUTER, false)).toBeUndefined();
  expect(new Closed("all").with(OUTER, false)).toBe("all,-v9");
  expect(new Closed("all,-v9").with(OUTER, true)).toBe("all");
});

test("what is no name of a group folds nothing", () => {
  const closed = new Closed("x,,-,9,v9x,all9");
  expect(closed.has(OUTER)).toBe(false);
});
