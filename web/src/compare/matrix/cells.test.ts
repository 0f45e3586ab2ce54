import { expect, test } from "vitest";
import type { MatrixColumn, MatrixRow } from "../queries";
import { letterOf, linesOf, nameOfColumn, nextPlace, widestParting } from "./cells";

const row = (threadId: string, verdict: MatrixRow["verdict"]): MatrixRow => {
  return { threadId, verdict, version: 1, end: "open", steps: 0, cells: [] };
};
const ROWS = [row("a", "failed"), row("b", "failed"), row("c", "succeeded")];
const LINES = linesOf({ rows: ROWS });
const parting = (separation: number | null): MatrixColumn => {
  const absent = { runs: 0, failed: 0, succeeded: 0, unknown: 0 };
  return { type: "reply", tools: [], variants: [], variantCount: 0, absent, separation };
};

test("the runs of a verdict have a heading with their number", () => {
  expect(LINES.map((line) => line.verdict ?? line.row.threadId)).toEqual([
    "failed",
    "a",
    "b",
    "succeeded",
    "c",
  ]);
  expect(LINES[0]).toEqual({ verdict: "failed", runs: 2 });
});

test("keys lead from run to run, over headings, and stay inside", () => {
  const at = (key: string, line: number, column: number) =>
    nextPlace(key, { line, column }, LINES, 3);
  expect(at("ArrowDown", 2, 1)).toEqual({ line: 4, column: 1 });
  expect(at("ArrowUp", 4, 1)).toEqual({ line: 2, column: 1 });
  expect(at("ArrowUp", 1, 0)).toEqual({ line: 1, column: 0 });
  expect(at("ArrowDown", 4, 0)).toEqual({ line: 4, column: 0 });
  expect(at("ArrowRight", 1, 2)).toEqual({ line: 1, column: 2 });
  expect(at("End", 1, 0)).toEqual({ line: 1, column: 2 });
  expect(at("x", 1, 0)).toBeNull();
});

test("the first column that parts most is chosen; without one, the first", () => {
  expect(widestParting([parting(0.2), parting(0.5), parting(0.5)])).toBe(1);
  expect(widestParting([parting(null), parting(null)])).toBe(0);
  expect(widestParting([])).toBe(0);
});

test("ways have letters, and columns the names of their tools or type", () => {
  expect([0, 25, 26].map(letterOf)).toEqual(["A", "Z", "·"]);
  expect(nameOfColumn({ type: "tool_calls", tools: ["a", "b"] })).toBe("a, b");
  expect(nameOfColumn({ type: "tool_calls", tools: ["a", "b", "c", "d", "e"] })).toBe(
    "a, b, c and 2 more",
  );
  expect(nameOfColumn({ type: "vendor.odd", tools: [] })).toContain("odd");
});
