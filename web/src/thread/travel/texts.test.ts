import { expect, test } from "vitest";
import { axisOf } from "./chart/axis";
import { barText, criticalText, placeText, versionText } from "./texts";
import { courseOfTimes, span } from "./spans.testing";

const call = span({ kind: "call", name: "run_tests", from: 3, to: 4, outcome: "failed" });

test("a version says what began, ended or was said", () => {
  expect(versionText([call], 3)).toBe("run_tests called");
  expect(versionText([call], 4)).toBe("run_tests failed");
  expect(versionText([{ ...call, outcome: "unstated" }], 4)).toBe("run_tests answered");
  expect(versionText([span({ kind: "approval", from: 8, to: 9 })], 8)).toBe("approval began");
  expect(versionText([span({ kind: "exit", outcome: "complete" })], 1)).toBe("exit complete");
  expect(versionText([span({ kind: "gap", from: 1, to: 2 })], 1)).toBe("");
});

test("of many events it names two and counts the rest", () => {
  const calls = ["a", "b", "c", "d"].map((name) => ({ ...call, name }));
  expect(versionText(calls, 3)).toBe("a called, b called and 2 more");
});

const course = courseOfTimes([0, 0, 0, 1000, 3500]);

test("a bar says its tool, hint, time and outcome", () => {
  const text = barText({ ...call, hint: "smoke", suspected: ["loop"] }, course);
  expect(text).toBe("run_tests · smoke · 2.5 s · failed · suspected: loop · v3 to v4");
  expect(barText({ ...call, outcome: "told", suspected: ["exit_code"] }, course)).toBe(
    "run_tests · 2.5 s · told to have failed (exit code) · v3 to v4",
  );
});

test("a place without a bar says its time, and a cut pause how long it was", () => {
  const long = courseOfTimes([0, 0, 1000, 2000, 3_602_000]);
  const axis = axisOf(long);
  expect(placeText(1500, axis, long)).toBe("1.5 s · v2");
  expect(placeText(axis.length - 1, axis, long)).toBe("pause of 1 h, drawn shorter");
});

test("the critical path says where the time went, the most first", () => {
  const elapsed = new Map([
    ["model", 4000],
    ["call", 12_000],
  ]);
  expect(criticalText({ spans: new Set(), elapsed })).toBe(
    "critical path 16 s: tools 12 s, model 4.0 s",
  );
  expect(criticalText({ spans: new Set(), elapsed: new Map() })).toBe("");
});
