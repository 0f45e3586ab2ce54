import { expect, test } from "vitest";
import type { StoredEvent } from "./events";
import { hasTurn, pauseBefore, startsTurn } from "./turns";

function event(type: string, timestamp = 0, responseId?: string): StoredEvent {
  const kind = type.startsWith("thread.") ? "fact" : "message";
  const metadata: StoredEvent["metadata"] = responseId === undefined ? {} : { responseId };
  return { version: 1, recordedAt: "", bytes: 1, kind, type, message: { timestamp }, metadata };
}

test("input and a model's output after others' start a turn", () => {
  expect(startsTurn(event("input"), event("reply"))).toBe(true);
  expect(startsTurn(event("reasoning"), event("tool_results"))).toBe(true);
  expect(startsTurn(event("tool_results"), event("tool_calls"))).toBe(false);
});

test("what one response says is one turn, another response the next", () => {
  expect(startsTurn(event("tool_calls"), event("reasoning"))).toBe(false);
  expect(startsTurn(event("reply", 0, "a"), event("reply", 0, "a"))).toBe(false);
  expect(startsTurn(event("reply", 0, "b"), event("reply", 0, "a"))).toBe(true);
});

test("only a long pause between messages is shown", () => {
  expect(pauseBefore(event("reply", 95_000), event("input", 0))).toBe(95_000);
  expect(pauseBefore(event("reply", 900), event("input", 0))).toBeNull();
  expect(pauseBefore(event("input", 95_000), event("thread.started", 0))).toBeNull();
  expect(pauseBefore(event("input", 95_000), undefined)).toBeNull();
});

test("a folded run has a turn where a model begins in it", () => {
  const types = ["tool_results", "log", "llm_request", "llm_response", "log"];
  const typeOf = (version: number) => types[version - 1] ?? null;
  expect(hasTurn({ first: 2, last: 3, isOpen: false }, typeOf)).toBe(true);
  expect(hasTurn({ first: 4, last: 5, isOpen: false }, typeOf)).toBe(false);
});
