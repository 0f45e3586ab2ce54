import { expect, test } from "vitest";
import { termsOf } from "./terms";

test("tools and keys of metadata that were seen are offered", () => {
  const seen = { tools: ["book", "a b"], metadata: new Map([["team", ["red"]]]) };
  const terms = termsOf(seen);
  expect(terms).toContain("failed");
  expect(terms).toContain('tool:"a b"');
  expect(terms).toContain("metadata.team:");
});
