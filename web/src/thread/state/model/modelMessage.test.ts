import { expect, test } from "vitest";
import { countedTexts, modelMessage } from "./modelMessage";

test("a turn with calls is taken apart", () => {
  const message = modelMessage({
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "c1", type: "function", function: { name: "track", arguments: '{"parcel":4711}' } },
    ],
  });
  expect(message.calls).toEqual([{ id: "c1", name: "track", args: '{"parcel":4711}' }]);
  expect(message.parts).toEqual([]);
  expect(countedTexts(message)).toEqual(["track", '{"parcel":4711}']);
});

test("a message that the view added says why, and keeps its other members", () => {
  const message = modelMessage({
    role: "tool",
    content: "{}",
    tool_call_id: "c1",
    agentlog: "filler",
    name: "track",
  });
  expect(message.repair).toMatch(/no result before the next turn/);
  expect(message.callId).toBe("c1");
  expect(message.rest).toEqual({ name: "track" });
});

test("a message that the view moved says so", () => {
  const message = modelMessage({ role: "tool", content: "1", agentlog: "reordered" });
  expect(message.repair).toMatch(/^Moved/);
});

test("a file is described, and its data is neither shown nor counted", () => {
  const url = `data:image/png;base64,${"A".repeat(4_000)}`;
  const message = modelMessage({
    role: "user",
    content: [
      { type: "text", text: "Look" },
      { type: "image_url", image_url: { url } },
      { type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" } },
    ],
  });
  expect(message.parts.slice(1)).toEqual([
    { kind: "file", about: "image_url: image/png, 3.0 kB" },
    { kind: "file", about: "file a.pdf: application/pdf, 3 B" },
  ]);
  expect(countedTexts(message)).toEqual(["Look"]);
});

test("an item that is not a message is shown with all its members", () => {
  expect(modelMessage({ content: 5, other: [1] })).toMatchObject({
    role: "?",
    rest: { other: [1] },
  });
});
