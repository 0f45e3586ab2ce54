import { expect, test } from "vitest";
import { callParts, doubtOf, messagesOf, type ModelCall, placeOf } from "./modelCall";

const CALL: ModelCall = {
  threadId: "t",
  source: "recorded",
  missing: [],
  after: 2,
  api: "messages",
  model: "m",
  contextWindow: 1000,
  charactersPerToken: null,
  isDoubtful: false,
  prompt: "Be kind.",
  tools: [{ name: "track" }],
  parameters: {},
  messages: [
    { role: "user", content: "Where?" },
    { role: "assistant", content: [{ type: "tool_use", name: "track" }] },
  ],
  parts: [
    { part: "tools", messages: [], characters: 18, tokens: null },
    { part: "system", messages: [], characters: 10, tokens: null },
    { part: "user", messages: [0], characters: 36, tokens: null },
    { part: "assistant", messages: [1], characters: 68, tokens: null },
  ],
  answer: null,
  previous: null,
};

test("a prompt that stands apart is the first message", () => {
  expect(messagesOf(CALL)[0]).toEqual({ role: "system", content: "Be kind." });
  expect(messagesOf({ ...CALL, prompt: null })).toHaveLength(2);
});

test("a request that cannot be what the provider counted is doubted in words", () => {
  expect(doubtOf(CALL)).toBeNull();
  expect(doubtOf({ ...CALL, charactersPerToken: 4 })).toBeNull();
  const tooMuch = doubtOf({ ...CALL, charactersPerToken: 12.4, isDoubtful: true });
  expect(tooMuch).toMatch(/12\.4 characters a token.*more is here/);
  const tooLittle = doubtOf({ ...CALL, charactersPerToken: 0.4, isDoubtful: true });
  expect(tooLittle).toMatch(/not all is here/);
});

test("tokens are counted by part, those of blocks as their JSON", () => {
  expect(callParts(CALL)).toEqual([
    { part: "tools", texts: ['{"name":"track"}'] },
    { part: "system", texts: ["Be kind."] },
    { part: "user", texts: ["Where?"] },
    { part: "assistant", texts: ['{"type":"tool_use","name":"track"}'] },
  ]);
});

test("places count from one", () => {
  expect(placeOf("messages", 2)).toBe("message 3");
  expect(placeOf("tools", 0)).toBe("tool 1");
  expect(placeOf("parameters", "temperature")).toBe("temperature");
  expect(placeOf("prompt", null)).toBe("the prompt");
});
