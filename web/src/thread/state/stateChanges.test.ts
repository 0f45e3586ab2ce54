import { expect, test } from "vitest";
import { parseExact } from "../../api/exact";
import { pathOfKey, sameJson, stateKeys } from "./stateChanges";

test("a key is marked where it is added, removed or has another value", () => {
  const keys = stateKeys({ a: 1, b: [1], gone: null }, { a: 2, b: [1], fresh: "x" });
  expect(keys.map(({ key, change }) => [key, change])).toEqual([
    ["a", "changed"],
    ["b", null],
    ["fresh", "added"],
    ["gone", "removed"],
  ]);
});

test("numbers are the same by their digits", () => {
  expect(sameJson(parseExact("[1e400, 1.10]"), parseExact("[1e400, 1.10]"))).toBe(true);
  expect(sameJson(parseExact("[1.10]"), parseExact("[1.1]"))).toBe(false);
});

test("the order of keys does not matter, that of entries does", () => {
  expect(sameJson({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson({ a: null }, { b: null })).toBe(false);
  expect(sameJson([], {})).toBe(false);
});

test("the path of a key quotes characters that a JSONPath reserves", () => {
  expect(pathOfKey("step_count")).toBe("$['step_count']");
  expect(pathOfKey("it's \\ a\nkey\u0001")).toBe("$['it\\'s \\\\ a\\nkey\\u0001']");
});
