import { expect, test } from "vitest";
import { exchangeIn, exchangeText, sizeOf } from "./exchange";

const EXCHANGE = {
  method: "POST",
  path: "/v1/chat/completions",
  request: { headers: {}, pieces: ['{"messages":[', '"é"', "]}"] },
  status: 200,
  response: {
    headers: {},
    body: { base64: "AAEC/w==" },
    chunks: [
      [0, 14.7],
      [3, 20],
    ],
  },
  end: "complete",
  durationMs: 15.03,
};

test("the pieces of a request are its bytes, and bytes that are no text come in base64", () => {
  const { request, response, firstMs, pieces } = exchangeIn(EXCHANGE);
  expect(request.text).toBe('{"messages":["é"]}');
  expect(sizeOf(request)).toBe(19);
  expect(response.isBase64).toBe(true);
  expect(sizeOf(response)).toBe(4);
  expect([firstMs, pieces]).toEqual([14.7, 2]);
});

test("a line says what was asked, and what came or why it did not come whole", () => {
  expect(exchangeText(EXCHANGE)).toBe("POST /v1/chat/completions · 200 · 15 ms");
  const broken = { ...EXCHANGE, status: null, end: "upstream_refused", durationMs: null };
  expect(exchangeText(broken)).toBe("POST /v1/chat/completions · no provider answered");
  expect(exchangeText(undefined)).toBe("");
});
