import { expect, test } from "vitest";
import { armText, causeIn, causeText } from "./cause";

const ARM = { passed: 5, runs: 5, low: 0.5655, high: 1, passedForks: ["a"], failedForks: [] };
const CAUSE = {
  candidates: [
    { kind: "answer", version: 9 },
    { kind: "result", version: 10 },
  ],
  cause: [9],
  experiments: [
    { steps: [9, 10], verdict: "caused", changed: ARM, control: { ...ARM, passed: 0 } },
    { steps: [10], verdict: "not_shown", changed: ARM, control: ARM },
  ],
};

test("experiments have their steps by kind, both arms, and the verdict in words", () => {
  const { steps, experiments } = causeIn(CAUSE);
  expect(steps).toEqual([{ kind: "answer", version: 9 }]);
  expect(experiments.map(({ verdict }) => verdict)).toEqual(["caused", "not shown"]);
  expect(experiments[0]?.steps.map(({ kind }) => kind)).toEqual(["answer", "result"]);
  expect(experiments[0]?.changed.forks).toEqual([{ name: "passed", ids: ["a"] }]);
});

test("a line names the cause, or says that none is shown", () => {
  expect(causeText(CAUSE)).toBe("answer at 9");
  expect(causeText({ ...CAUSE, cause: [] })).toBe("none shown");
  expect(causeText(undefined)).toBe("none shown");
});

test("an arm is two counts and an interval, never a percentage of its runs", () => {
  const [experiment] = causeIn(CAUSE).experiments;
  if (experiment === undefined) throw new Error("no experiment");
  expect(armText(experiment.changed)).toBe("5 of 5 passed, interval of 95 % from 0.57 to 1.00");
  expect(armText({ ...experiment.changed, low: null })).toBe("5 of 5 passed");
});
