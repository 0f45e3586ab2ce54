import { expect, test } from "vitest";
import { queryOf } from "./client";

test("a query has each value of a list, and is encoded", () => {
  const said = queryOf({ b: ["a b", "c"], filter: "R&D:1", q: undefined, limit: 0, hidden: true });
  expect(said).toBe("b=a+b&b=c&filter=R%26D%3A1&limit=0&hidden=true");
});
