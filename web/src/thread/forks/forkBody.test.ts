import { expect, test } from "vitest";
import { forkBody } from "./forkBody";

const FORKING = { threadId: "t", at: 3, as: "", change: "none", file: "", message: "" } as const;

test("a fork is asked for with its place, id and edit", () => {
  expect(forkBody(FORKING)).toBe('{"at":"3","edits":[]}');
  expect(JSON.parse(forkBody({ ...FORKING, as: '"u"', change: "drop" }))).toEqual({
    at: "3",
    threadId: '"u"',
    edits: [{ drop: 3 }],
  });
});

test("a message goes as it was written, and one that is no JSON is refused", () => {
  const message = '{"type": "tick", "n": 1.10, "big": 12345678901234567890}';
  expect(forkBody({ ...FORKING, change: "replace", message })).toContain(`"message":${message}}`);
  expect(() => forkBody({ ...FORKING, change: "insert", message: '{"a": 1}, 2' })).toThrow(
    "The message is no JSON",
  );
});
