import { expect, test } from "vitest";
import { threadAddress } from "../thread/address";
import { flagIn, textsIn, wholeIn } from "./address";

test("what cannot be read is left out", () => {
  expect(threadAddress({ at: "x", view: "nope", watch: [], paused: "no", b: -1 })).toEqual({});
});

test("a number may be given as a string", () => {
  expect(threadAddress({ at: "12", a: 0, watch: "$.x", fold: "" })).toEqual({
    at: 12,
    a: 0,
    watch: ["$.x"],
    fold: "",
  });
  expect([wholeIn(1.5), wholeIn("7"), wholeIn(0, 1)]).toEqual([undefined, 7, undefined]);
  expect(textsIn([1, "a", {}])).toEqual(["1", "a"]);
  expect([flagIn("true"), flagIn(false)]).toEqual([true, undefined]);
});
