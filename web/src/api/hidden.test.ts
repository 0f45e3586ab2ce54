import { expect, test } from "vitest";
import { withHidden } from "./hidden";

const origin = "http://127.0.0.1:8080";
const requestPath = (path: string, search = "?at=3&hidden=true") =>
  withHidden(path, { origin, search }).replace(origin, "");

test("what reads a thread is asked for hidden ones where the page's address says so", () => {
  expect(requestPath("/v1/threads/t")).toBe("/v1/threads/t?hidden=true");
  expect(requestPath("/v1/threads/t/messages?after=2")).toBe(
    "/v1/threads/t/messages?after=2&hidden=true",
  );
  expect(requestPath("/v1/threads/t/forks")).toBe("/v1/threads/t/forks?hidden=true");
  expect(requestPath("/v1/threads/t/views/openai")).toBe("/v1/threads/t/views/openai?hidden=true");
});

test("nothing else is changed", () => {
  for (const path of ["/v1/threads/t/chain", "/v1/threads/t/messages/m/proof", "/v1/search?q=x"]) {
    expect(requestPath(path)).toBe(path);
  }
  expect(requestPath("/v1/threads/t", "?at=3")).toBe("/v1/threads/t");
});
