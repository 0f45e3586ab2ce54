import { expect, test } from "vitest";
import { ExactNumber, parseExact } from "../../../api/exact";
import type { StateAt } from "../../queries";
import { watched } from "./watched";

const STATE = parseExact('{"n": 1e400, "workers": [{"id": "w1"}, {"id": "w2"}]}') as StateAt;

test("values come with their paths", () => {
  expect(watched("$.workers[*].id", STATE)).toEqual({
    found: [
      { path: "$.workers[0].id", value: "w1" },
      { path: "$.workers[1].id", value: "w2" },
    ],
  });
});

test("a number keeps its digits, and is no object to descend into", () => {
  const found = watched("$..*", STATE);
  if (!("found" in found)) throw new Error(found.error);
  expect(found.found.map(({ path }) => path)).not.toContain("$.n.digits");
  expect(found.found[0]?.value).toEqual(new ExactNumber("1e400"));
});

test("an invalid JSONPath gives an error with its place", () => {
  expect(watched("$.x[", STATE)).toEqual({ error: "unclosed bracketed selection", index: 4 });
  expect(watched("x", STATE)).toMatchObject({ index: 0 });
});
