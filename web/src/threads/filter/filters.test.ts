import { expect, test } from "vitest";
import { threadsAddress } from "../address";
import { asTerm, chips, filtersOf, withTerm } from "./filters";

test("filters of an address are named as the API names them", () => {
  const address = threadsAddress({
    q: "refund",
    tool: "search",
    meta: ["team=a=b", "task=7"],
    failed: "true",
    errors: "true",
    filter: "cost>1",
    status: "gone",
  });
  expect(filtersOf(address)).toEqual({
    q: "refund",
    tool: ["search"],
    failed: true,
    verdict: "failed",
    filter: "cost>1",
    metadata: { "metadata.team": "a=b", "metadata.task": "7" },
  });
});

test("each chip takes away its own filter alone", () => {
  const found = chips({ outcome: "step_limit", tool: "search", meta: ["a=1", "b=2"] });
  expect(found).toEqual([
    { words: "outcome: step limit", without: { outcome: undefined } },
    { words: "tool: search", without: { tool: undefined } },
    { words: "a = 1", without: { meta: ["b=2"] } },
    { words: "b = 2", without: { meta: ["a=1"] } },
  ]);
  expect(chips({ meta: ["a=1"] })[0]?.without).toEqual({ meta: undefined });
});

test("a filter on metadata takes the place of another on the same key", () => {
  expect(withTerm(["a=1", "ab=2"], "a", "3")).toEqual(["ab=2", "a=3"]);
});

test("a text that looks like a number is quoted, a number is not", () => {
  expect(["7", 7, true, "true", "x", "-1.5", '"q"'].map(asTerm)).toEqual([
    '"7"',
    "7",
    "true",
    '"true"',
    "x",
    '"-1.5"',
    '"\\"q\\""',
  ]);
});
