import { expect, test } from "vitest";
import { mayOpen } from "./access";

test("a key that may read opens every screen", () => {
  expect(mayOpen("/", ["read"])).toBe(true);
  expect(mayOpen("/keys", ["read"])).toBe(true);
});

test("a key that may only manage keys opens their screen", () => {
  expect(mayOpen("/keys", ["admin"])).toBe(true);
  expect(mayOpen("/", ["admin"])).toBe(false);
  expect(mayOpen("/keys", ["append"])).toBe(false);
});
