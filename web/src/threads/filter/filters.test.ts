import { expect, test } from "vitest";
import { threadsAddress } from "../address";
import { filtersOf } from "./filters";

test("text and terms of an address are one filter of the API", () => {
  const filters = (search: Record<string, unknown>) => filtersOf(threadsAddress(search));
  expect(filters({ q: 'failed "b', filter: "cost>1 or open", hidden: "true" })).toEqual({
    filter: '"failed" "\\"b" (cost>1 or open)',
    hidden: true,
  });
  expect(filters({ filter: "cost>1" })).toEqual({ filter: "cost>1" });
  expect(filters({ q: " " })).toEqual({});
});
