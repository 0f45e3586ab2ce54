import { expect, test } from "vitest";
import { align } from "./alignment";
import type { ComparedItem, Comparison } from "../queries";

const item = (place: string): ComparedItem => ({
  place,
  type: "reply",
  tools: [],
  hint: place,
  item: { text: place },
  cut: false,
});

function comparison(items: Comparison["items"], next: string | null = null): Comparison {
  const counts = { equal: 0, changed: 0, onlyA: 0, onlyB: 0 };
  return { a: 0, b: 1, divergence: null, counts, items, next };
}
const equal = (a: string, b: string): Comparison["items"][number] => ({
  op: "equal",
  count: 1,
  a: item(a),
  b: item(b),
});
const onlyA = (a: string): Comparison["items"][number] => ({ op: "only_a", count: 1, a: item(a) });
const onlyB = (b: string): Comparison["items"][number] => ({ op: "only_b", count: 1, b: item(b) });
const run = (count: number, a: string, b: string): Comparison["items"][number] => ({
  op: "equal",
  count,
  a: { from: a, to: a },
  b: { from: b, to: b },
});

const places = (comparisons: Comparison[]) =>
  align([{ comparisons }]).map(({ cells }) => cells.map((cell) => cell?.place ?? null));

test("an inserted item does not shift the others", () => {
  const rows = places([comparison([equal("2.0", "2.0"), onlyB("3.0"), equal("3.0", "4.0")])]);
  expect(rows).toEqual([
    ["2.0", "2.0"],
    [null, "3.0"],
    ["3.0", "4.0"],
  ]);
});

test("three sides are aligned at the items of the first", () => {
  const rows = align([
    {
      comparisons: [
        comparison([equal("2.0", "2.0"), onlyB("3.0"), equal("3.0", "4.0")]),
        comparison([equal("2.0", "2.0"), onlyA("3.0"), onlyB("3.0")]),
      ],
    },
  ]);
  expect(rows.map(({ cells }) => cells.map((cell) => cell?.place ?? null))).toEqual([
    ["2.0", "2.0", "2.0"],
    [null, "3.0", null],
    ["3.0", "4.0", null],
    [null, null, "3.0"],
  ]);
  expect(rows.map(({ isEqual }) => isEqual)).toEqual([true, false, false, false]);
});

test("a run folded on one side may be unfolded on another", () => {
  const rows = align([
    {
      comparisons: [
        comparison([run(3, "2.0", "2.0"), onlyB("9.0")]),
        comparison([run(2, "2.0", "5.0"), onlyA("4.0")]),
      ],
    },
  ]);
  expect(rows.map(({ count }) => count)).toEqual([2, 1, 1]);
  expect(rows[1]?.cells.map((cell) => cell?.item?.place ?? null)).toEqual(["4.0", "4.0", null]);
});

test("pages end where the first comparison does not go on", () => {
  const more = "9.2";
  const rows = places([
    comparison([equal("2.0", "2.0")], more),
    comparison([equal("2.0", "2.0"), equal("3.0", "3.0"), onlyB("4.0")]),
  ]);
  expect(rows).toEqual([["2.0", "2.0", "2.0"]]);
});
