import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { stateQuery } from "./queries";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a state that the service has no view for is empty, and asked for once", async () => {
  const problem = { type: "urn:agentlog:problem:unknown-view", title: "t", detail: "no such view" };
  const fetch = vi.fn(() => Promise.resolve(Response.json(problem, { status: 404 })));
  vi.stubGlobal("fetch", fetch);
  vi.stubGlobal("location", new URL("http://localhost/threads/t"));
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  const client = new QueryClient();
  for (const version of [1, 2]) {
    expect(await client.query(stateQuery("t", version, "run-state?texts=false"))).toEqual({});
  }
  expect(fetch).toHaveBeenCalledTimes(1);
});
