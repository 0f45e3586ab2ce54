import { expect, test } from "vitest";
import { type Json, parseExact } from "../../../api/exact";
import { diffTree } from "./difference";

test("unchanged neighbours are one node", () => {
  expect(diffTree("", { a: 1, b: 2, c: 3, d: 4 }, { a: 1, b: 2, c: 5, e: 6 })).toEqual({
    kind: "inside",
    key: "",
    children: [
      { kind: "same", key: "a", count: 2, value: { a: 1, b: 2 } },
      { kind: "changed", key: "c", before: 3, after: 5 },
      { kind: "removed", key: "d", value: 4 },
      { kind: "added", key: "e", value: 6 },
    ],
  });
});

test("an entry inserted into a list leaves the others unchanged", () => {
  expect(diffTree("", ["a", "b", "c"], ["a", "x", "b", "c"])).toMatchObject({
    children: [
      { kind: "same", count: 1 },
      { kind: "added", key: "1", value: "x" },
      { kind: "same", key: "2", count: 2 },
    ],
  });
});

test("an entry in the place of another is compared with it", () => {
  expect(diffTree("", [{ id: 1, done: false }], [{ id: 1, done: true }])).toMatchObject({
    children: [
      {
        kind: "inside",
        key: "0",
        children: [{ kind: "same" }, { kind: "changed", key: "done", before: false, after: true }],
      },
    ],
  });
});

test("numbers with different digits differ, even if JavaScript rounds them alike", () => {
  expect(diffTree("n", parseExact("1e400"), parseExact("1e401")).kind).toBe("changed");
  expect(diffTree("n", parseExact("1e400"), parseExact("1e400")).kind).toBe("same");
});

test("a key named __proto__ is a key", () => {
  const tree = diffTree("", parseExact('{"__proto__": 1}'), parseExact('{"__proto__": 2}'));
  expect(tree).toMatchObject({ children: [{ kind: "changed", key: "__proto__" }] });
});

test("lists with nothing in common are compared in bounded time", () => {
  const list = (first: number): Json => Array.from({ length: 20_000 }, (_, index) => first + index);
  const begun = performance.now();
  expect(diffTree("", list(0), list(1_000_000)).kind).toBe("inside");
  expect(performance.now() - begun).toBeLessThan(1_000);
});
