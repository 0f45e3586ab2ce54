import { expect, test } from "vitest";
import { Unreachable, unreached } from "./problem";

test("a failed request says that the service is away, an aborted one is no failure of it", () => {
  expect(unreached(new TypeError("Failed to fetch"))).toBeInstanceOf(Unreachable);
  const aborted = new DOMException("signal is aborted", "AbortError");
  expect(unreached(aborted)).toBe(aborted);
});
