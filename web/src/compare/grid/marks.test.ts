import { expect, test } from "vitest";
import { abbreviate, mark } from "./marks";

const words = (first: string, ...others: (string | null)[]) =>
  mark(first, others).map(
    (pieces) => pieces?.filter(({ isMarked }) => isMarked).map(({ text }) => text) ?? null,
  );

test("words that differ are marked on both sides", () => {
  expect(words("Fly to Berlin today", "Fly to Munich today")).toEqual([["Berlin"], ["Munich"]]);
});

test("of the first text all is marked that any other lacks", () => {
  expect(words("one two three", "two three", "one two four")).toEqual([
    ["one ", "three"],
    [],
    ["four"],
  ]);
});

test("equal texts and absent ones have no marks", () => {
  expect(words("same", "same", null)).toEqual([[], [], null]);
});

test("pieces are the text again", () => {
  const [first] = mark("a b c d e", ["a x c y e"]);
  expect(first?.map(({ text }) => text).join("")).toBe("a b c d e");
});

test("long equal parts lose their middle, and marked words stay", () => {
  const long = "x".repeat(1000);
  const short = abbreviate([
    { text: long, isMarked: false },
    { text: "changed", isMarked: true },
  ]);
  expect(short?.[0]?.text.length).toBeLessThan(250);
  expect(short?.[1]?.text).toBe("changed");
  expect(abbreviate([{ text: "short", isMarked: false }])).toBeNull();
});
