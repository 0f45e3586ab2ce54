import { expect, test } from "vitest";
import { type Finding, finding, GENESIS } from "./chain";
import type { ChainState } from "./chainCheck";
import type { components } from "../../api/schema";
import { allFindings, verdictOf } from "./verdict";

const BROKEN = finding("body-altered", 3, "its body is another");
const LEDGER = finding("ledger-differs", null, "an open call is said to be answered");

type Verdict = components["schemas"]["Audit"]["verdict"];

function state(ours: Finding[], theirs: Finding[] | null, verdict: Verdict = "broken"): ChainState {
  const verified = { ...GENESIS, version: 5, findings: ours, broken: ours.length };
  const audit = theirs && {
    threadId: "t1",
    verdict: theirs.length === 0 ? ("whole" as const) : verdict,
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

test("a redaction that is not carried out yet is neither whole nor broken", () => {
  const waiting = { ...finding("redaction-unfinished", 4, "not yet"), breaks: false };
  const unfinished = state([], [waiting], "not finished");
  expect(verdictOf(unfinished)).toMatchObject({ tone: "warn", label: "Redaction not finished" });
  expect(allFindings(unfinished).map(({ finding: { what } }) => what)).toEqual([waiting.what]);
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
