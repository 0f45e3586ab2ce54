import { expect, test } from "vitest";
import { ago, bytes, cost, costNote, count, countOf, duration, ordinal } from "./format";

test.each([
  [0, "0 ms"],
  [950, "950 ms"],
  [4200, "4.2 s"],
  [59_900, "60 s"],
  [95_000, "1 m 35 s"],
  [7_500_000, "2 h 5 m"],
  [3_600_000, "1 h"],
  [273_600_000, "3 d 4 h"],
])("%d ms lasts %s", (milliseconds, said) => {
  expect(duration(milliseconds)).toBe(said);
});

test.each([
  [12, "12 B"],
  [3_400, "3.4 kB"],
  [999_999, "1000 kB"],
  [20_700_000, "20.7 MB"],
])("%d bytes are %s", (size, said) => {
  expect(bytes(size)).toBe(said);
});

test("a missing figure is a dash, never 0", () => {
  expect([duration(null), bytes(undefined), count(null), cost(null), ago(null, 0)]).toEqual(
    Array(5).fill("–"),
  );
  expect([count(0), cost(0)]).toEqual(["0", "$0.0000"]);
});

test("counts have their nouns", () => {
  expect([countOf(1, "event"), countOf(12_000, "event")]).toEqual(["1 event", "12,000 events"]);
});

test("a cost says what of it is computed, and what is not in it", () => {
  expect([cost(0.0031), cost(0.0031, 2), cost(null, 2)]).toEqual(["$0.0031", "~$0.0031", "–"]);
  expect(costNote(0, 0)).toBeUndefined();
  expect(costNote(2, 1)).toBe("computed by a list of prices: 2 calls; cost not known: 1 call");
});

test("ordinals are said as one says them", () => {
  const said = [1, 2, 3, 4, 10, 11, 12, 21, 103, 113].map(ordinal).join(" ");
  expect(said).toBe("1st 2nd 3rd 4th 10th 11th 12th 21st 103rd 113th");
});
