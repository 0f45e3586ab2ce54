import { expect, test } from "vitest";
import { span, timelineOf } from "../spans.testing";
import { alikeIn, labelOf } from "./labels";

const call = (from: number, name: string, hint: string | null) =>
  span({ kind: "call", from, to: 9, name, hint });

test("calls of one tool at once are told apart by their hints, others have name and hint", () => {
  const spans = [
    call(2, "read", "a.md"),
    call(2, "read", "b.md"),
    call(3, "read", "a.md"),
    call(3, "read", "b.md"),
    call(3, "edit", null),
    call(4, "read", "c.md"),
  ];
  const alike = alikeIn(timelineOf(spans));
  expect(spans.map((item) => labelOf(item, alike))).toEqual([
    ...["a.md", "b.md", "read a.md", "read b.md", "edit", "read c.md"],
  ]);
});

test("a worker says its objective, a model its name, and nothing hidden acts", () => {
  const none = new Set<number>();
  expect(labelOf(span({ kind: "worker", name: "gpt", hint: "find prices" }), none)).toBe(
    "find prices",
  );
  expect(labelOf(span({ kind: "model", name: "gpt\u202e" }), none)).toBe("gpt⟨U+202E⟩");
  expect(labelOf(span({ kind: "model", name: null }), none)).toBe("model");
});
