import { expect, test } from "vitest";
import { ownOf } from "./shares";

const COPIED = { steps: 3, toolCalls: 2, tokens: 100, costUsd: 0.1, computedCalls: 1 };

test("a fork's own figures are what it added to the copied ones", () => {
  const all = { steps: 5, toolCalls: 2, tokens: 150, costUsd: 0.3, computedCalls: 1 };
  const own = ownOf(all, COPIED);
  expect(own).toMatchObject({ steps: 2, toolCalls: 0, tokens: 50, computedCalls: 0 });
  expect(own.costUsd).toBeCloseTo(0.2);
});

test("where nothing was reported beyond the copied part, there is no figure", () => {
  expect(ownOf(COPIED, COPIED)).toMatchObject({ steps: 0, tokens: null, costUsd: null });
  expect(ownOf({ ...COPIED, tokens: null }, { ...COPIED, tokens: null }).tokens).toBeNull();
});
