import { expect, test } from "vitest";
import { ExactNumber, parseExact } from "../../../api/exact";
import type { StateAt } from "../../queries";
import { select } from "./watched";

const STATE = parseExact('{"n": 1e400, "workers": [{"id": "w1"}, {"id": "w2"}]}') as StateAt;

test("values come with their paths", () => {
  expect(select("$.workers[*].id", STATE)).toEqual({
    matches: [
      { path: "$.workers[0].id", value: "w1" },
      { path: "$.workers[1].id", value: "w2" },
    ],
  });
});

test("a number keeps its digits, and is no object to descend into", () => {
  const selected = select("$..*", STATE);
  if (!("matches" in selected)) throw new Error(selected.error);
  expect(selected.matches.map(({ path }) => path)).not.toContain("$.n.digits");
  expect(selected.matches[0]?.value).toEqual(new ExactNumber("1e400"));
});

test("an invalid JSONPath gives an error with its place", () => {
  expect(select("$.x[", STATE)).toEqual({ error: "unclosed bracketed selection", index: 4 });
  expect(select("x", STATE)).toMatchObject({ index: 0 });
});
