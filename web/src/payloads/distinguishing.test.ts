import { expect, test } from "vitest";
import { distinguishingFirst, glimpseOf } from "./distinguishing";

test("what an object is about comes first, ids and what is empty last", () => {
  const uuid = "5uJMfcD3-0000";
  const value = {
    uuid,
    span_id: "x",
    made: "7d1db301-e169-4649-a21b-1ea3ad00cfee",
    none: null,
    nested: { a: 1 },
    score: "I",
    list: [],
  };
  const names = distinguishingFirst(value).map(([name]) => name);
  expect(names).toEqual(["score", "nested", "uuid", "span_id", "made", "none", "list"]);
});

test("a value is one text, cut where it is long", () => {
  expect(glimpseOf({ a: 1, b: { c: "x" } }, 100)).toBe('a: 1, b: {"c":"x"}');
  expect(glimpseOf("abcdef", 3)).toBe("abc…");
  expect(glimpseOf([1, null], 100)).toBe("[1,null]");
});
