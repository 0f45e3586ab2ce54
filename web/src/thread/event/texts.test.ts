import { expect, test } from "vitest";
import { bytesIn, textOf } from "./texts";

test("base64 becomes its bytes, across line breaks", () => {
  expect(textOf(bytesIn("TcO8\r\nbGxlcg=="))).toBe("Müller");
});

test("bytes that are not UTF-8 are marked", () => {
  expect(textOf(new Uint8Array([65, 255]))).toBe("A\ufffd");
});
