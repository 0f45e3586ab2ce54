import { expect, test } from "vitest";
import { queryOf } from "./client";

test("a query has each value of a list and each name of an object, and is encoded", () => {
  const metadata = { "metadata.R&D": "x=1", "metadata.team": "support" };
  const said = queryOf({ tool: ["a b", "c"], metadata, q: undefined, limit: 0, failed: true });
  expect(said).toBe(
    "tool=a+b&tool=c&metadata.R%26D=x%3D1&metadata.team=support&limit=0&failed=true",
  );
});
