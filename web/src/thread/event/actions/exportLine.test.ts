import { expect, test } from "vitest";
import { parseExact } from "../../../api/exact";
import { around } from "./exportLine";

const HEAD = parseExact(
  '{"threadId":"t","version":3,"policy":"strict","goal":"g","parent":null,"limits":null,' +
    '"metadata":{"price":1.10},"status":"open"}',
);

test("a line has what the thread was started with, and leaves out what is missing", () => {
  expect(around(HEAD, undefined)).toEqual([
    '{"threadId":"t","goal":"g","metadata":{"price":1.10},"policy":"strict","messages":',
    "}\n",
  ]);
});

test("a closed thread says why it was closed, if it was said", () => {
  expect(around(HEAD, { message: { reason: "done" } })[1]).toBe(',"closed":{"reason":"done"}}\n');
  expect(around(HEAD, { message: {} })[1]).toBe(',"closed":{}}\n');
});

test("empty metadata is left out", () => {
  expect(around({ threadId: "t", policy: "record", metadata: {} }, undefined)[0]).toBe(
    '{"threadId":"t","policy":"record","messages":',
  );
});
