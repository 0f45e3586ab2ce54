import { expect, test } from "vitest";
import { copiedOf } from "./copied";

const FORKED = { thread: "t", version: 13, edits: [] as unknown[] };

test("a fork without edits is its origin up to a version", () => {
  expect(copiedOf({ forkedFrom: FORKED }, "t")).toBe(13);
  expect(copiedOf({ forkedFrom: FORKED }, "other")).toBeNull();
  expect(copiedOf({ forkedFrom: { ...FORKED, edits: [1] } }, "t")).toBeNull();
  expect(copiedOf({ forkedFrom: null }, "t")).toBeNull();
  expect(copiedOf(undefined, "t")).toBeNull();
});
