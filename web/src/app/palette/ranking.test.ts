import { expect, test } from "vitest";
import { rankByName, rankOf } from "./ranking";

test("a beginning is best, then beginnings of words, then any place", () => {
  expect(rankOf("Go to Reports", "go")).toBe(0);
  expect(rankOf("Go to Reports", "rep go")).toBe(1);
  expect(rankOf("Go to Reports", "port")).toBe(2);
  expect(rankOf("Go to Reports", "sql")).toBeNull();
});

test("equal ones keep their order, and an empty text has all", () => {
  const named = ["Keys", "Reports", "Replay", "Open report"].map((name) => ({ name }));
  expect(rankByName(named, "rep").map(({ name }) => name)).toEqual([
    "Reports",
    "Replay",
    "Open report",
  ]);
  expect(rankByName(named, " ")).toEqual(named);
});
