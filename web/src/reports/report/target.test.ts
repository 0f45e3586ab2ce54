import { expect, test } from "vitest";
import { targetOf } from "./target";

const answer = (report: string, ...by: string[]) => ({ report, by, from: null, to: null });

test("a row that is one call leads to it", () => {
  expect(targetOf(answer("slowest"), { thread: "refund", version: 10 }, {})).toEqual({
    kind: "thread",
    threadId: "refund",
    at: 10,
  });
});

test("a tool leads to the list of threads that called it", () => {
  const only = ["metadata.team=support"];
  expect(targetOf(answer("tools", "tool"), { tool: "refund" }, { only })).toEqual({
    kind: "list",
    search: { tool: "refund", meta: ["team=support"] },
  });
});

test("conditions that the list cannot express become an SQL statement", () => {
  const row = { tool: "book", error_class: "it's full", thread: "last" };
  const found = targetOf(answer("failures", "tool", "error_class"), row, {});
  expect(found.kind === "question" && found.sql).toContain(
    "WHERE item.outcome = 'failed'\n  AND item.tool = 'book'\n  AND item.error_class = 'it''s full'",
  );
});

test("alternatives, times, nulls and metadata are conditions", () => {
  const found = targetOf(
    { report: "usage", by: ["day", "metadata.team"], from: "2026-01-05T00:00:00Z", to: null },
    { day: "2026-01-05", "metadata.team": null },
    { only: ["model=a", "model=b"], clock: "sent" },
  );
  if (found.kind !== "question") throw new Error("not a question");
  expect(found.sql.split("\n").slice(2, -2)).toEqual([
    "FROM model_calls AS item",
    "LEFT JOIN threads AS thread USING (thread_id)",
    "WHERE date_trunc('day', item.requested_sent_at, 'UTC') = TIMESTAMPTZ '2026-01-05T00:00:00Z'",
    "  AND thread.metadata::jsonb -> 'team' IS NULL",
    "  AND (item.model = 'a' OR item.model = 'b')",
    "  AND item.requested_sent_at >= TIMESTAMPTZ '2026-01-05T00:00:00Z'",
  ]);
});

test("labels are looked for among those of a thread", () => {
  const found = targetOf(answer("outcomes", "label"), { label: "it's" }, { only: ["label=b"] });
  expect(found.kind === "question" && found.sql).toContain(
    `WHERE item.labels::jsonb @> '["it''s"]'::jsonb\n  AND item.labels::jsonb @> '["b"]'::jsonb`,
  );
  const without = targetOf(answer("outcomes", "label"), { label: null }, {});
  expect(without.kind === "question" && without.sql).toContain("item.labels = '[]'");
});

test("anomalies are in no table, and lead to the list", () => {
  expect(targetOf(answer("anomalies", "policy"), { policy: "record" }, {})).toEqual({
    kind: "list",
    search: { anomalies: true },
  });
});
