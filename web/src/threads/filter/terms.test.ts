import { expect, test } from "vitest";
import { suggestions } from "./terms";

const SEEN = { tools: ["book", "a b"], metadata: new Map([["team", ["red"]]]) };

test("the last word of a filter is completed, what stands before it stays", () => {
  expect(suggestions("failed co", SEEN)).toEqual(["failed cost>"]);
  expect(suggestions("-(tool", SEEN)).toEqual(["-(tool:", "-(tool:book", '-(tool:"a b"']);
  expect(suggestions("-meta", SEEN)).toEqual(["-metadata.team:"]);
});

test("an empty filter offers the terms", () => {
  expect(suggestions("", SEEN)[0]).toBe("failed");
  expect(suggestions("failed ", SEEN)[0]).toBe("failed failed");
});
