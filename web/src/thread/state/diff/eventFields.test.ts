import { expect, test } from "vitest";
import { recordedIn } from "../../event/contents";
import { eventFields } from "./eventFields";

const fieldsOf = (message: Record<string, never> | object) =>
  eventFields(recordedIn({ version: 1, message: { ...message }, metadata: { run: "x" } }));

test("arguments and outputs that are JSON are compared as what they say", () => {
  const calls = [{ id: "a", argumentsText: '{"n": 1}' }, { id: "b", argumentsText: "not JSON" }, 7];
  expect(fieldsOf({ type: "tool_calls", calls })).toEqual({
    type: "tool_calls",
    metadata: { run: "x" },
    calls: [{ id: "a", argumentsText: { n: 1 } }, { id: "b", argumentsText: "not JSON" }, 7],
  });
  expect(fieldsOf({ results: [{ callId: "a", output: "[1]" }] })).toMatchObject({
    results: [{ callId: "a", output: [1] }],
  });
});

test("other fields stay as they are, whatever they hold", () => {
  const message = { type: "vendor.odd", calls: "none", text: "[1]", metadata: null };
  expect(fieldsOf(message)).toEqual(message);
});
