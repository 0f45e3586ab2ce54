import { expect, test } from "vitest";
import { groupOf, nameOf, titleOf } from "./kinds";

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
