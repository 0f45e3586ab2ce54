import { expect, test } from "vitest";
import { openingOf } from "./opening";
import type { Why } from "./queries";
import { callText, effortText, failureName, failureText, loopText, outcomeText } from "./texts";

const CALL = {
  ...{ version: 40, endVersion: 41, name: "book", arguments: "paid=957" },
  ...{ outcome: "failed", attempt: 1, attempts: 3 },
};
const WHY: Why = {
  ...{ threadId: "t", version: 63, position: 63, loopCount: 1, doubt: null },
  ...{ failures: 3, told: 1, suspected: 0 },
  outcome: {
    ...{ verdict: "failed", basis: "scores", judgedBy: null, version: 1 },
    ...{ scores: { reward: 0 }, end: "step_limit" },
  },
  failure: {
    ...{ version: 41, word: "failed", kind: "call", name: "book", text: "paid 957", rules: [] },
    call: CALL,
  },
  before: { ...CALL, name: "think", arguments: null, attempt: null, attempts: null },
  loops: [{ name: "book", hint: "mia", times: 3, version: 40, lastVersion: 55, equal: false }],
  total: {
    ...{ calls: 18, elapsedMs: 95_000, inputTokens: 900, outputTokens: 20, prices: "x" },
    ...{ costUsd: 0.0123, computedCalls: 2, unpricedCalls: 0, totalTokens: 920 },
    ...{ statedCostUsd: null, callsCostUsd: 0.0123 },
  },
  last: { version: 63, text: "Sorry." },
};

test("the outcome has its scores and how the run ended", () => {
  expect(outcomeText(WHY)).toBe("reward 0 · ended: step limit");
  const open = { ...WHY.outcome, scores: {}, end: null };
  expect(outcomeText({ ...WHY, outcome: open })).toBe("no end on record");
  expect(outcomeText({ ...WHY, outcome: { ...open, basis: "rule" } })).toBe(
    "by the rule · no end on record",
  );
  const judged = { ...open, basis: "judgement", judgedBy: "sam" } as const;
  expect(outcomeText({ ...WHY, outcome: judged })).toBe("judged by sam · no end on record");
});

test("a failure has its call and its text, a doubt its word and rules", () => {
  expect(failureText(WHY)).toEqual({ name: "book, 1st of 3", text: "paid 957" });
  expect(failureName(WHY)).toBe("First failure");
  const doubt = { version: 9, kind: "worker", name: null, text: null, call: null } as const;
  const why: Why = {
    ...{ ...WHY, failure: null },
    doubt: { ...doubt, word: "suspected", rules: ["unanswered"] },
  };
  expect(failureText(why)).toEqual({ name: "worker", text: "[unanswered?]" });
  expect(failureName(why)).toBe("First suspected");
  expect(failureText({ ...why, doubt: null }).text).toBe(
    "nothing failed, and no rule suspects anything",
  );
});

test("a call has its arguments, effort what is known of it", () => {
  expect(callText(CALL)).toBe("book, 1st of 3 paid=957");
  expect(WHY.before === null ? "" : callText(WHY.before)).toBe("think");
  expect(effortText(WHY)).toBe("18 calls · 3 failed · 1 told · 1 m 35 s · ~$0.0123");
  const total = { ...WHY.total, costUsd: 0.5, computedCalls: 0, statedCostUsd: 0.5 };
  expect(effortText({ ...WHY, total })).toContain("$0.5000 · its model calls together $0.0123");
  expect(effortText({ ...WHY, total: { ...total, costUsd: 0.0123 } })).toContain(
    "the run states $0.5000",
  );
  expect(WHY.loops.map(loopText)).toEqual(["book 3 times, nearly the same"]);
});

test("a thread opens at its failure, else at what was said last; without an end at the end", () => {
  expect(openingOf(WHY)).toBe(41);
  expect(openingOf({ ...WHY, failure: null })).toBe(63);
  expect(openingOf({ ...WHY, failure: null, last: null })).toBe("end");
  const outcome = { ...WHY.outcome, end: null };
  expect(openingOf({ ...WHY, failure: null, outcome })).toBe("end");
});
