import { expect, test } from "vitest";
import { curlOf, nextStep, pytestOf, pythonOf } from "./snippets";

const PLACE = { service: "http://127.0.0.1:8080", threadId: "refund", at: 8, needsKey: false };
const USER = { role: "user", content: "hello" };
const CALLS = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
};
const RESULT = { role: "tool", tool_call_id: "1", content: "'''\\" };
const REPLY = { role: "assistant", content: "done" };

test("a command reads the messages at the place", () => {
  expect(curlOf(PLACE)).toBe(
    "curl -sS 'http://127.0.0.1:8080/v1/threads/refund/views/openai?bare=true&at=8'",
  );
});

test("with a key, snippets name the variable", () => {
  expect(curlOf({ ...PLACE, needsKey: true })).toContain('"Authorization: Bearer $AGENTLOG_KEY"');
  expect(pythonOf({ ...PLACE, needsKey: true })).toContain('os.environ["AGENTLOG_KEY"]');
  expect(pythonOf(PLACE)).not.toContain("AGENTLOG_KEY");
});

test("the next step is the answer after the point, with all before it", () => {
  const all = [USER, CALLS, RESULT, REPLY];
  expect(nextStep(all, 1)).toEqual({ history: [USER], answer: CALLS });
  expect(nextStep(all, 2)).toEqual({ history: [USER, CALLS, RESULT], answer: REPLY });
});

test("at the end it is the last answer, and without one there is none", () => {
  expect(nextStep([USER, REPLY], 2)).toEqual({ history: [USER], answer: REPLY });
  expect(nextStep([USER], 1)).toBeNull();
});

test("a test says what the agent called, or that it called nothing", () => {
  expect(pytestOf(PLACE, { history: [USER], answer: CALLS })).toContain("calls_what_it_called");
  expect(pytestOf(PLACE, { history: [USER], answer: REPLY })).toContain("without_a_call");
});

test("quotes in a text do not end the string that it stands in", () => {
  const test = pytestOf(PLACE, { history: [USER, CALLS, RESULT], answer: REPLY });
  expect(test.split("'''")).toHaveLength(5);
});
