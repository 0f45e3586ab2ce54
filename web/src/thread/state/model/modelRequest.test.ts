import { expect, test } from "vitest";
import { modelRequest, requestTexts, toolName } from "./modelRequest";

test("tools have the names that each wire gives them", () => {
  const tools = [
    { type: "function", function: { name: "track" } },
    { name: "refund", input_schema: {} },
    { functionDeclarations: [{ name: "a" }, { name: "b" }] },
    { type: "web_search" },
    5,
  ];
  expect(tools.map(toolName)).toEqual(["track", "refund", "a, b", "web_search", "?"]);
});

test("definitions and the response format are counted, as their JSON", () => {
  const parameters = { temperature: 0, response_format: { type: "text" } };
  const request = modelRequest({ model: "m", tools: [{ name: "a" }], parameters });
  expect(requestTexts(request)).toEqual(['{"name":"a"}', '{"type":"text"}']);
});

test("what is not on record stays null, and counts nothing", () => {
  const request = modelRequest({ model: null, tools: null, parameters: null });
  expect(request).toEqual({ model: null, tools: null, parameters: null });
  expect(requestTexts(request)).toEqual([]);
});
