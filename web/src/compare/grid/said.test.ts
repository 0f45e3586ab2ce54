import { expect, test } from "vitest";
import { parseExact } from "../../api/exact";
import { textOf } from "./said";

const of = (json: string): string =>
  textOf({
    place: "2.0",
    type: "",
    tools: [],
    hint: "hint",
    item: parseExact(json),
    cut: false,
  });

test("a text is shown as it is", () => {
  expect(of('{"id":"1","timestamp":1,"type":"reply","text":"Booked."}')).toBe("Booked.");
});

test("arguments are printed by sorted keys, with their digits", () => {
  const calls = '{"type":"tool_calls","calls":[{"id":"c","name":"pay","args":{"b":59.90,"a":1}}]}';
  expect(of(calls)).toBe('{\n  "a": 1,\n  "b": 59.90\n}');
});

test("several calls are named", () => {
  const calls = '{"calls":[{"name":"a","argumentsText":"{x"},{"name":"b","args":{}}]}';
  expect(of(calls)).toBe("a\n{x\n\nb\n{}");
});

test("an error of a result is said", () => {
  expect(of('{"results":[{"callId":"c","output":null,"error":"no such flight"}]}')).toBe(
    "Error: no such flight",
  );
});

test("an item too large to be sent shows its hint", () => {
  expect(of("null")).toBe("hint");
});
