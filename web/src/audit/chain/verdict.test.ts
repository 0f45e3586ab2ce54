import { expect, test } from "vitest";
import { type Finding, finding, GENESIS } from "./chain";
import type { ChainState } from "./chainCheck";
import { allFindings, verdictOf } from "./verdict";

const BROKEN = finding("body-altered", 3, "its body is another");
const LEDGER = finding("ledger-differs", null, "an open call is said to be answered");

function state(ours: Finding[], theirs: Finding[] | null): ChainState {
  const verified = { ...GENESIS, version: 5, findings: ours, broken: ours.length };
  const audit = theirs && {
    threadId: "t1",
    whole: theirs.length === 0,
    events: 5,
    findingCount: theirs.length,
    findings: theirs,
  };
  return { step: "checked", verified, last: 5, audit, error: null };
}

test("a chain is whole, broken here, or said to be broken by the service alone", () => {
  expect(verdictOf(state([], [])).label).toBe("Chain whole");
  expect(verdictOf(state([BROKEN], [BROKEN])).label).toBe("Chain broken at version 3");
  expect(verdictOf(state([BROKEN], [])).detail).toContain("The service says that it is whole.");
  expect(verdictOf(state([], [LEDGER])).label).toBe("Service says broken");
});

test("each finding says who found it", () => {
  expect(allFindings(state([BROKEN], [BROKEN, LEDGER])).map(({ by }) => by)).toEqual([
    "service",
    "both",
  ]);
  expect(allFindings(state([BROKEN], [])).map(({ by }) => by)).toEqual(["browser"]);
});

test("a running verification shows its progress", () => {
  const checking = { ...state([], null), step: "checking", last: 20_000 } as const;
  const verified = { ...GENESIS, version: 3000 };
  expect(verdictOf({ ...checking, verified }).label).toBe("Checking 3,000 of 20,000");
});
