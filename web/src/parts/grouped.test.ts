import { expect, test } from "vitest";
import { ExactNumber, type Json } from "../api/exact";
import { groupEntries } from "./grouped";

test("short values are themselves, texts as JSON prints them", () => {
  expect(groupEntries({ a: [1, true, null, "x\u0000\n"], n: new ExactNumber("1.10") })).toEqual({
    a: [1, true, null, '"x\\u0000\n"'],
    n: "1.10",
  });
});

test("long lists come in groups of at most 100, whatever their length", () => {
  const list = Array.from({ length: 12_345 }, (_, index) => index);
  const groups = groupEntries(list) as Record<string, Record<string, number[]>>;
  expect(Object.keys(groups)).toEqual(["0 … 9999", "10000 … 12344"]);
  expect(groups["10000 … 12344"]?.["2300 … 2344"]?.at(-1)).toBe(12_344);
});

test("objects of many keys come in groups, each key with its value", () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`key${i}`, i]));
  const groups = groupEntries(many) as Record<string, Record<string, number>>;
  expect(groups["200 … 249"]?.["key249"]).toBe(249);
});

test("line breaks are drawn, and what only looks like one is not", () => {
  expect(groupEntries("if x:\n\treturn 'a\\n'")).toBe(`"if x:\n\treturn 'a\\\\n'"`);
});

test("hidden characters are written out, and no key hides another", () => {
  const same = { "a\u202e": 1, "a⟨U+202E⟩": 2, __proto__x: 3 };
  expect(groupEntries(same)).toEqual({ "a⟨U+202E⟩": 1, "a⟨U+202E⟩′": 2, __proto__x: 3 });
  expect(groupEntries("\u2066x")).toBe('"⟨U+2066⟩x"');
});

test("long texts come by their beginning, with the count of what is left out", () => {
  expect(groupEntries("ab".repeat(300))).toBe(`"${"ab".repeat(250)}" … 100 more characters`);
});

test("what is nested 10,000 levels deep does not overflow", () => {
  let deep: Json = [];
  for (let level = 0; level < 10_000; level += 1) deep = [deep];
  expect(JSON.stringify(groupEntries(deep))).toContain("more levels");
});
