import { expect, test } from "vitest";
import { endsOf, groupOf, kindOf, nameOf, titleOf } from "./kinds";

test("a known type has a name, a heading and a group", () => {
  expect(nameOf("llm_request")).toBe("model request");
  expect(titleOf("tool_calls")).toBe("Tool calls");
  expect(groupOf("thread.closed")).toBe("fact");
});

test("an application's own type is its own name", () => {
  expect(titleOf("vendor.citation")).toBe("vendor.citation");
  expect(nameOf("constructor")).toBe("constructor");
  expect(groupOf("vendor.citation")).toBe("note");
});

test("a fact has the words of its type as its name", () => {
  expect(kindOf("thread.redacted")).toEqual({ name: "thread redacted", group: "fact" });
  expect(titleOf("thread.started")).toBe("Thread started");
});

test("a span of two messages has the types of both, one of a message has none", () => {
  expect(endsOf("call")).toEqual({ first: "tool_calls", last: "tool_results" });
  expect(endsOf("worker")).toEqual({ first: "worker_spawned", last: "worker_result" });
  expect(endsOf("input")).toBeNull();
});
