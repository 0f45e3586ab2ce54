import { expect, test } from "vitest";
import { ifThere, networkError, Problem, Unreachable } from "./problem";

test("a failed request says that the service is away, an aborted one is no failure of it", () => {
  expect(networkError(new TypeError("Failed to fetch"))).toBeInstanceOf(Unreachable);
  const aborted = new DOMException("signal is aborted", "AbortError");
  expect(networkError(aborted)).toBe(aborted);
});

test("what an extension would answer that is not installed is nothing; other refusals stay", async () => {
  const refuse = (code: string) =>
    Promise.reject(new Problem(404, `urn:agentlog:problem:${code}`, "Not there", "not there"));
  expect(await ifThere(refuse("unknown-view"))).toBeNull();
  expect(await ifThere(refuse("no-such-route"))).toBeNull();
  expect(await ifThere(Promise.resolve(7))).toBe(7);
  await expect(ifThere(refuse("unknown-thread"))).rejects.toThrow("not there");
});
