import { expect, test } from "vitest";
import { textDiff } from "./textDifference";

test("short texts are compared by words", () => {
  expect(textDiff("pay 10 euro", "pay 12 euro")).toEqual([
    { kind: "same", text: "pay " },
    { kind: "removed", text: "10" },
    { kind: "added", text: "12" },
    { kind: "same", text: " euro" },
  ]);
});

test("long texts are compared by lines, and what is kept is folded", () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`).join("");
  const [kept, removed, added] = textDiff(`${lines}old`, `${lines}new`);
  expect(kept?.text).toMatch(/unchanged characters/);
  expect(kept?.text.length).toBeLessThan(500);
  expect([removed, added]).toEqual([
    { kind: "removed", text: "old" },
    { kind: "added", text: "new" },
  ]);
});

test("texts that take too long to compare are shown one after the other", () => {
  const noise = (seed: number): string =>
    Array.from({ length: 100_000 }, (_, index) => `${(index * seed) % 99_991}\n`).join("");
  expect(textDiff(noise(7), noise(13)).map(({ kind }) => kind)).toEqual(["removed", "added"]);
});
