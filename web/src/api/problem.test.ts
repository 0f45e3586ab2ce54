import { expect, test } from "vitest";
import { ifThere, Problem, Unreachable, unreached } from "./problem";

test("a failed request says that the service is away, an aborted one is no failure of it", () => {
  expect(unreached(new TypeError("Failed to fetch"))).toBeInstanceOf(Unreachable);
  const aborted = new DOMException("signal is aborted", "AbortError");
  expect(unreached(aborted)).toBe(aborted);
});

test("what an extension would answer that is not installed is nothing; other refusals stay", async () => {
  const refused = (code: string) =>
    Promise.reject(new Problem(404, `urn:agentlog:problem:${code}`, "Not there", "not there"));
  expect(await ifThere(refused("unknown-view"))).toBeNull();
  expect(await ifThere(refused("no-such-route"))).toBeNull();
  expect(await ifThere(Promise.resolve(7))).toBe(7);
  await expect(ifThere(refused("unknown-thread"))).rejects.toThrow("not there");
});
