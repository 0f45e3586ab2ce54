import { expect, test } from "vitest";
import { inForce, type ValueChange, valuesInShort } from "./valueChanges";

function change(version: number, ...values: number[]): ValueChange {
  return { version, values, count: values.length, cut: false };
}

test("the change in force is the last one up to the version", () => {
  const changes = [change(3, 1), change(7, 2)];
  expect([2, 3, 6, 7, 90].map((version) => inForce(changes, version))).toEqual([-1, 0, 0, 1, 1]);
});

test("values come on one line, and say where they are not whole", () => {
  expect(valuesInShort(change(1, 1, 2))).toBe("1, 2");
  expect(valuesInShort(change(1))).toBe("nothing");
  expect(valuesInShort({ ...change(1, 5), cut: true })).toBe("5 …");
  expect(valuesInShort({ version: 1, values: null, count: 9, cut: true })).toBe(
    "too large to show",
  );
});
