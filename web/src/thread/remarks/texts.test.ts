import { expect, test } from "vitest";
import type { Json } from "../../api/exact";
import { remarkTexts } from "./texts";

function textOf(type: string, message: { readonly [key: string]: Json }, actor?: string) {
  const metadata = actor === undefined ? {} : { actor };
  return remarkTexts({ type, message, metadata }).join(" · ");
}

test("a note says its text, where it belongs and who wrote it", () => {
  expect(textOf("thread.noted", { text: "why?", on: 4 }, "sam")).toBe("why? · on 4 · by sam");
  expect(textOf("thread.noted", { text: "ah", replaces: 7 })).toBe("ah · changes the note of 7");
  expect(textOf("thread.noted", { replaces: 7 })).toBe("takes back the note of 7");
});

test("labels are those given and those taken away", () => {
  expect(textOf("thread.labelled", { add: ["a", "b"], remove: ["c"] })).toBe("a, b · without c");
});

test("a judgement says its criterion, word and score", () => {
  expect(textOf("thread.judged", { criterion: "policy", verdict: "fail", score: 0.2 })).toBe(
    "policy: fail, 0.2",
  );
  expect(textOf("thread.judged", { score: 0, comment: "late" })).toBe("0 · late");
  expect(textOf("thread.judged", { criterion: "policy", verdict: null })).toBe(
    "no judgement any more by policy",
  );
});
