import { expect, test } from "vitest";
import { openingOf } from "./opening";
import type { Why } from "./queries";
import { callText, effortText, failureText, loopText, outcomeText } from "./texts";

const CALL = {
  ...{ version: 40, endVersion: 41, name: "book", arguments: "paid=957" },
  ...{ outcome: "failed", attempt: 1, attempts: 3 },
};
const WHY: Why = {
  ...{ threadId: "t", version: 63, position: 63, failures: 3, loopCount: 1 },
  outcome: {
    ...{ verdict: "failed", basis: "scores", judgedBy: null, version: 1 },
    ...{ scores: { reward: 0 }, end: "step_limit" },
  },
  failure: {
    ...{ version: 41, kind: "call", name: "book", text: "paid 957", rules: ["error_text"] },
    call: CALL,
  },
  before: { ...CALL, name: "think", arguments: null, attempt: null, attempts: null },
  loops: [{ name: "book", hint: "mia", times: 3, version: 40, lastVersion: 55, equal: false }],
  total: {
    ...{ calls: 18, elapsedMs: 95_000, inputTokens: 900, outputTokens: 20, prices: "x" },
    ...{ costUsd: 0.0123, computedCalls: 2, unpricedCalls: 0 },
  },
  last: { version: 63, text: "Sorry." },
};

test("the outcome has its scores and how the run ended", () => {
  expect(outcomeText(WHY)).toBe("reward 0 · ended: step limit");
  const open = { ...WHY.outcome, scores: {}, end: null };
  expect(outcomeText({ ...WHY, outcome: open })).toBe("still open");
  expect(outcomeText({ ...WHY, outcome: { ...open, basis: "rule" } })).toBe(
    "by the rule · still open",
  );
  const judged = { ...open, basis: "judgement", judgedBy: "sam" } as const;
  expect(outcomeText({ ...WHY, outcome: judged })).toBe("judged by sam · still open");
});

test("a failure has its call and its text, or else the rules that suspect it", () => {
  expect(failureText(WHY)).toEqual({ name: "book, 1st of 3", text: "paid 957" });
  const failure = { version: 9, kind: "runtime_error", name: null, text: null, call: null };
  expect(failureText({ ...WHY, failure: { ...failure, rules: ["unanswered"] } })).toEqual({
    ...{ name: "runtime error", text: "unanswered" },
  });
});

test("a call has its arguments, effort what is known of it", () => {
  expect(callText(CALL)).toBe("book, 1st of 3 paid=957");
  expect(WHY.before === null ? "" : callText(WHY.before)).toBe("think");
  expect(effortText(WHY)).toBe("18 calls · 3 failures · 1 m 35 s · ~$0.0123");
  expect(WHY.loops.map(loopText)).toEqual(["book 3 times, nearly the same"]);
});

test("a thread opens at its failure, else at what was said last; without an end at the end", () => {
  expect(openingOf(WHY)).toBe(41);
  expect(openingOf({ ...WHY, failure: null })).toBe(63);
  expect(openingOf({ ...WHY, failure: null, last: null })).toBe("end");
  const outcome = { ...WHY.outcome, end: null };
  expect(openingOf({ ...WHY, failure: null, outcome })).toBe("end");
});
