import { expect, test } from "vitest";
import { runsOf } from "./ansi";

test("colours of a terminal become runs", () => {
  expect(runsOf("a \u001b[1;31mFAILED\u001b[0m b")).toEqual([
    { text: "a ", colour: null, isBold: false },
    { text: "FAILED", colour: "bad", isBold: true },
    { text: " b", colour: null, isBold: false },
  ]);
});

test("what is no style stays in the text", () => {
  expect(runsOf("\u001b[2J")).toEqual([{ text: "\u001b[2J", colour: null, isBold: false }]);
  expect(runsOf("")).toEqual([{ text: "", colour: null, isBold: false }]);
});

test("parameters that are not known change nothing", () => {
  expect(runsOf("\u001b[38;5;999mx")[0]).toMatchObject({ text: "x", isBold: false });
});
