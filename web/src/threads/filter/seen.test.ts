import { expect, test } from "vitest";
import { seenIn } from "./seen";
import type { Summary } from "../standing";

test("tools and metadata of rows are offered once each, sorted, values as filters say them", () => {
  const rows = [
    { tools: ["b", "a"], metadata: { task: 7, team: "x" } },
    { tools: ["a"], metadata: { task: "7" } },
  ] as unknown as Summary[];
  const { tools, metadata } = seenIn(rows);
  expect(tools).toEqual(["a", "b"]);
  expect([...metadata]).toEqual([
    ["task", ['"7"', "7"]],
    ["team", ["x"]],
  ]);
});
