import { expect, test } from "vitest";
import { quoted, suggestions } from "./terms";

const TERMS = ["failed", "cost>", "tool:", "tool:book", 'tool:"a b"'];

test("the last word of a filter is completed, what stands before it stays", () => {
  expect(suggestions("failed co", TERMS)).toEqual(["failed cost>"]);
  expect(suggestions("-(tool", TERMS)).toEqual(["-(tool:", "-(tool:book", '-(tool:"a b"']);
});

test("an empty filter offers the terms", () => {
  expect(suggestions("", TERMS)[0]).toBe("failed");
  expect(suggestions("failed ", TERMS)[0]).toBe("failed failed");
});

test("a value stands in quotes where it needs them", () => {
  expect(["a.b", "a b", 'q"\\'].map(quoted)).toEqual(["a.b", '"a b"', '"q\\"\\\\"']);
});
