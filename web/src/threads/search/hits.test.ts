import { expect, test } from "vitest";
import { byThread, cutExcerpt, type Hit } from "./hits";

const hit = (threadId: string, version: number) => ({ threadId, version }) as Hit;

test("hits come by thread, threads by their first hit", () => {
  const rows = byThread([hit("b", 9), hit("a", 3), hit("b", 2)]);
  expect(rows).toEqual([
    { threadId: "b", count: 2 },
    { threadId: "b", hit: hit("b", 9) },
    { threadId: "b", hit: hit("b", 2) },
    { threadId: "a", count: 1 },
    { threadId: "a", hit: hit("a", 3) },
  ]);
});

test("ranges count characters, not halves of them", () => {
  expect(cutExcerpt("😀 pay 😀", [[2, 5]])).toEqual([
    { text: "😀 ", isHit: false },
    { text: "pay", isHit: true },
    { text: " 😀", isHit: false },
  ]);
});

test("an excerpt from the middle of a text says so at both ends", () => {
  const around = "x".repeat(80);
  expect(cutExcerpt(`${around}pay${around}`, [[80, 83]]).map(({ text }) => text)).toEqual([
    "…",
    around,
    "pay",
    around,
    "…",
  ]);
});

test("an excerpt without ranges is one piece", () => {
  expect(cutExcerpt("all of it", [])).toEqual([{ text: "all of it", isHit: false }]);
});
