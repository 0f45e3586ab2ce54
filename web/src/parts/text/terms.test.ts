import { expect, test } from "vitest";
import { partsOf, quote, scalarTerm, suggestions, toggle, valueIn, withValue } from "./terms";

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
  expect(["a.b", "a b", 'q"\\'].map(quote)).toEqual(["a.b", '"a b"', '"q\\"\\\\"']);
});

test("a filter is split into the parts that must all hold", () => {
  expect(partsOf('failed and tool:"a b" -(x or y) not open')).toEqual([
    "failed",
    'tool:"a b"',
    "-(x or y)",
    "-open",
  ]);
  expect(partsOf("failed or open")).toEqual(["(failed or open)"]);
  expect(partsOf("")).toEqual([]);
});

test("a part is added, and taken away where it is there", () => {
  expect(toggle("cost>1", "failed")).toBe("cost>1 failed");
  expect(toggle("failed cost>1", "failed")).toBe("cost>1");
  expect(toggle("cost>1 or open", "failed")).toBe("(cost>1 or open) failed");
  expect(toggle("-failed", "failed")).toBe("-failed failed");
});

test("a value takes the place of another of the same name", () => {
  expect(withValue("status:open cost>1", "status", "exited")).toBe("cost>1 status:exited");
  expect(withValue("status:open cost>1", "status", "")).toBe("cost>1");
  expect(valueIn('tool:"say \\"hi\\"" cost>1', "tool")).toBe('say "hi"');
  expect(valueIn("cost>1", "tool")).toBe("");
});

test("a text of metadata that reads as other JSON is in quotes", () => {
  expect(["7", 7, true, "true", "x", "-1.5", 'q "b"'].map(scalarTerm)).toEqual([
    '"7"',
    "7",
    "true",
    '"true"',
    "x",
    '"-1.5"',
    '"q \\"b\\""',
  ]);
});
