import { expect, test } from "vitest";
import { changeText, outcomeText, placeOf } from "./tree";

test("the first changes are named, the others counted", () => {
  const edits = [1, 2, 3, 4, 5, 6].map((version) => ({ kind: "drop" as const, version }));
  const origin = { thread: "t", version: 9, link: "" };
  const text = (some: typeof edits) =>
    changeText({ forkedFrom: { ...origin, edits: some }, replay: null });
  expect(text(edits.slice(0, 2))).toBe("drop 1, drop 2");
  expect(text(edits)).toBe("drop 1, drop 2, drop 3, drop 4 and 2 more");
  expect(changeText({ forkedFrom: { ...origin, edits: [] }, replay: REPLAY })).toBe("model m");
});

const REPLAY = { changes: "model m", liveCalls: 1, unmet: 2, check: null };

test("what came of a replay is said as far as it is known", () => {
  expect(outcomeText(REPLAY)).toBe(" · 1 live call · 2 changes not met");
  expect(outcomeText({ ...REPLAY, liveCalls: 0, unmet: 0 })).toBe(" · 0 live calls");
  expect(outcomeText({ ...REPLAY, liveCalls: null, unmet: null })).toBe("");
});

test("keys go from thread to thread and stop at the ends", () => {
  expect(placeOf("ArrowDown", 0, 3)).toBe(1);
  expect(placeOf("ArrowDown", 2, 3)).toBe(2);
  expect(placeOf("ArrowUp", 0, 3)).toBe(0);
  expect(placeOf("Home", 2, 3)).toBe(0);
  expect(placeOf("End", 0, 3)).toBe(2);
  expect(placeOf("x", 1, 3)).toBeNull();
});
