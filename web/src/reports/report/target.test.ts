import { expect, test } from "vitest";
import { targetOf } from "./target";

const THREADS = { begin: "SELECT", where: ["item.outcome = 'failed'"], by: {}, end: "END" };
const answer = (report: string, ...by: string[]) => ({
  ...{ report, by, from: null, to: null },
  threads: { ...THREADS, by: Object.fromEntries(by.map((name) => [name, `item.${name}`])) },
});

test("a row that is one call leads to it", () => {
  const calls = { ...answer("slowest"), threads: null };
  expect(targetOf(calls, { thread: "refund", version: 10 })).toEqual({
    ...{ kind: "thread", threadId: "refund", at: 10 },
  });
});

test("a tool leads to the list of threads that called it", () => {
  const only = ["metadata.team:support"];
  expect(targetOf(answer("tools", "tool"), { tool: "refund it" }, only)).toEqual({
    ...{ kind: "list", search: { filter: 'tool:"refund it" metadata.team:support' } },
  });
});

test("conditions that the list cannot express become the report's SQL statement", () => {
  const row = { tool: "book", error_class: "it's full", thread: "last", "metadata.team": 7 };
  const by = ["tool", "error_class", "metadata.team", "day"];
  const target = targetOf(answer("failures", ...by), row);
  expect(target.kind === "question" && target.sql).toBe(
    [
      ...["SELECT", "WHERE item.outcome = 'failed'", "  AND item.tool = 'book'"],
      ...["  AND item.error_class = 'it''s full'", "  AND item.metadata.team = '7'"],
      ...["  AND item.day IS NULL", "END"],
    ].join("\n"),
  );
});

test("anomalies are in no table, and lead to the list", () => {
  const heads = { ...answer("anomalies", "policy"), threads: null };
  expect(targetOf(heads, { policy: "record" })).toEqual({
    ...{ kind: "list", search: { filter: "anomalies>0" } },
  });
});
