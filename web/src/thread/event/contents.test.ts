import { expect, test } from "vitest";
import { parseExact } from "../../api/exact";
import {
  filesOf,
  isPicture,
  jsonIn,
  numberIn,
  partsText,
  recordedIn,
  safeName,
  valueIn,
} from "./contents";

const EVENT = parseExact(`{"version":3,"position":7,"recordedAt":"2026-01-05T08:00:00Z",
  "type":"input","kind":"message","message":{"id":"A","timestamp":1,"type":"input","text":"x",
  "files":[{"sha256":"ab","filename":"a.svg","mimeType":"image/svg+xml"},{"data":"QQ=="}]},
  "metadata":{"price":1.10},"bytes":435,"cut":true,"redacted":{"version":9}}`);

test("an event is read with its places and flags", () => {
  const event = recordedIn(EVENT);
  expect(event).toMatchObject({ id: "A", version: 3, isCut: true, redactedBy: 9, lost: null });
  expect(event.message["text"]).toBe("x");
});

test("an event without a readable message has no id and no fields", () => {
  const event = recordedIn(parseExact('{"version":1,"type":"x","message":[1]}'));
  expect(event).toMatchObject({ id: "", message: {}, timestamp: null, position: null });
});

test("a number that lost no digits is a number for figures", () => {
  expect(numberIn(recordedIn(EVENT).metadata, "price")).toBe(1.1);
  expect(numberIn({ a: "1" }, "a")).toBeNull();
});

test("an inherited property is not a field", () => {
  expect(valueIn({}, "constructor")).toBeUndefined();
});

test("a text is JSON where it is an object or a list", () => {
  expect(jsonIn(' {"a": 1}')).toEqual({ a: 1 });
  expect(jsonIn("12345678901234567890")).toBeNull();
  expect(jsonIn('{"city": "Rome"')).toBeNull();
});

test("JSON nested deeper than a parser's stack does no harm", () => {
  expect(() => jsonIn("[".repeat(100_000) + "]".repeat(100_000))).not.toThrow();
});

test("pictures are drawn, documents that may run are not", () => {
  const [svg, bare] = filesOf(recordedIn(EVENT).message);
  expect(svg).toEqual({ name: "a.svg", type: "image/svg+xml", sha256: "ab", data: null });
  expect(svg && isPicture(svg)).toBe(false);
  expect(svg && isPicture({ ...svg, type: "image/png" })).toBe(true);
  expect(bare?.name).toBe("file 2");
});

test("a file's name has no path in it", () => {
  expect(safeName("../../etc/pass\u202ewd")).toBe("_.._etc_pass⟨U+202E⟩wd");
  expect(safeName("")).toBe("file");
});

test("a list of text parts is its texts, any other list is none", () => {
  const part = (text: string) => ({ type: "text", text });
  expect(partsText([part("East has 4."), part("agentId: a1")])).toBe("East has 4.\nagentId: a1");
  for (const other of [[], null, "x", [part("x"), 7], [{ type: "image" }], { ...part("x") }]) {
    expect(partsText(other)).toBeNull();
  }
});
