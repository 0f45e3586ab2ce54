import { expect, test } from "vitest";
import type { Json } from "../../../api/exact";
import { parseExact } from "../../../api/exact";
import type { StoredEvent } from "../events";
import { linesOf } from "./labels";

function texts(type: string, message: { readonly [key: string]: Json }, metadata = {}): string[] {
  const event: StoredEvent = {
    ...{ version: 1, recordedAt: "", kind: "message", bytes: 1 },
    ...{ type, message, metadata },
  };
  return linesOf(event).map(({ name, text }) => `${name}: ${text}`);
}

test("each call has a line with its arguments; a single one stands without its name", () => {
  const calls = [
    { id: "a", name: "weather", args: { city: "Rome" } },
    { id: "b", name: "refund", args: { order: 7, amount: "1.50" } },
  ];
  expect(texts("tool_calls", { calls })).toEqual([
    "weather: Rome",
    "refund: order: 7, amount: 1.50",
  ]);
});

test("arguments that are not JSON are said as they are", () => {
  const event = { version: 1, recordedAt: "", kind: "message", bytes: 1, metadata: {} } as const;
  const line = (argumentsText: string) =>
    linesOf({
      ...event,
      type: "tool_calls",
      message: { calls: [{ id: "a", name: "weather", argumentsText }] },
    })[0];
  expect(line('{"city": "Rome"')).toMatchObject({ text: '{"city": "Rome"', isBroken: true });
  expect(line('{"city": "Rome"}')).toMatchObject({ text: "Rome" });
  expect(line('{"city": "Rome"}')).not.toHaveProperty("isBroken");
});

test("a fork says where it comes from", () => {
  const forkedFrom = { thread: "parcel-1", version: 3, link: "ab" };
  expect(texts("thread.forked", { forkedFrom })).toEqual(["thread forked: from parcel-1 at 3"]);
});

test("a result says its error before its output", () => {
  const error = { name: "TimeoutError", message: "no answer", stack: "x.py:1" };
  const results = [
    { callId: "a", name: "weather", output: null, error },
    { callId: "b", output: 3 },
  ];
  expect(texts("tool_results", { results })).toEqual(["weather: TimeoutError: no answer", ": 3"]);
});

test("numbers keep their digits", () => {
  const message = parseExact('{"payload": {"big": 12345678901234567890.10}}');
  expect(texts("vendor.odd", message as { [key: string]: Json })).toEqual([
    'vendor.odd: {"big":12345678901234567890.10}',
  ]);
});

test("a request to an MCP server says which tool it calls", () => {
  const payload = { server: "travel", method: "tools/call", params: { name: "book" } };
  expect(texts("agentlog.mcp", { payload })).toEqual(["MCP request: travel tools/call book"]);
  expect(texts("agentlog.mcp", { payload: null })).toEqual(["MCP request: "]);
});

test("a text comes on one line, and of a long one the beginning", () => {
  expect(texts("input", { text: "  one\n\n two " })).toEqual(["user: one two"]);
  expect(texts("reply", { text: "word ".repeat(1000) })[0]?.length).toBeLessThan(300);
});

test("a model's response says its tokens and cost, and leaves out what is unknown", () => {
  const usage = { inputTokens: 412, outputTokens: 38 };
  expect(texts("llm_response", { model: "m", usage, costUsd: 0.5, latencyMs: 1800 })).toEqual([
    "model: m · 412 → 38 tokens · $0.5000 · 1.8 s",
  ]);
  expect(texts("llm_response", {})).toEqual(["model: "]);
});

test("a cost that the service computed has a ~", () => {
  const event = { version: 1, recordedAt: "", kind: "message", bytes: 1, metadata: {} } as const;
  const lines = linesOf(
    { ...event, type: "llm_response", message: { latencyMs: 1800 } },
    { costUsd: 0.0035, isComputed: true },
  );
  expect(lines[0]?.text).toBe("~$0.0035 · 1.8 s");
});

test("a decision says who made it", () => {
  expect(texts("approval_response", { callId: "a", approved: false }, { actor: "eva" })).toEqual([
    "denied: by eva",
  ]);
});

test("a file of an input is named", () => {
  expect(texts("input", { files: [{ filename: "a.png" }] })).toEqual(["user: a.png"]);
  expect(texts("input", { files: [{}, {}] })).toEqual(["user: 2 files"]);
});

test("a message of an own type says what the service says of it, else its payload", () => {
  const event = { version: 1, recordedAt: "", kind: "message", bytes: 1, metadata: {} } as const;
  const lineOf = (type: string, hint?: string) => {
    const message = { payload: { uuid: "u1" } };
    const priced = { costUsd: null, isComputed: false, ...(hint !== undefined && { hint }) };
    const [line] = linesOf({ ...event, type, message }, priced);
    return `${line?.name}: ${line?.text}`;
  };
  expect(lineOf("langgraph.checkpoint", "step 3")).toBe("checkpoint: step 3");
  expect(lineOf("langgraph.writes", "")).toBe("writes: ");
  expect(lineOf("vendor.odd")).toBe('vendor.odd: {"uuid":"u1"}');
});
