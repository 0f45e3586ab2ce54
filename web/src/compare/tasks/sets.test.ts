import { expect, test } from "vitest";
import type { RunSet } from "../queries";
import { oneOfEach, pairOf } from "./sets";

const run = (threadId: string, verdict: RunSet["threads"][number]["verdict"]) => ({
  threadId,
  version: 1,
  end: "open",
  verdict,
});
const branch = (...threads: string[]) => ({
  runs: threads.length,
  failed: 0,
  succeeded: 0,
  unknown: threads.length,
  threads,
  did: null,
});
const set = (threads: RunSet["threads"], partings: RunSet["partings"] = []): RunSet => ({
  runs: threads.length,
  failed: 0,
  succeeded: 0,
  unknown: 0,
  value: 1,
  threads,
  partings,
  partingCount: partings.length,
});

test("a run that succeeded is put beside one that failed", () => {
  expect(pairOf(set([run("a", "failed"), run("b", "failed"), run("c", "succeeded")]))).toEqual([
    "c",
    "a",
  ]);
});

test("runs with the same end are chosen from two branches", () => {
  const parting = { equal: 2, branches: [branch("c"), branch("a", "b")] };
  expect(oneOfEach(parting)).toEqual(["a", "c"]);
  expect(
    pairOf(set([run("a", "failed"), run("b", "failed"), run("c", "failed")], [parting])),
  ).toEqual(["a", "c"]);
});

test("runs that never part are still a pair", () => {
  expect(pairOf(set([run("a", "unknown"), run("b", "unknown")]))).toEqual(["a", "b"]);
});
