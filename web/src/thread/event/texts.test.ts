import { expect, test } from "vitest";
import { bytesIn, textOf, visible } from "./texts";

test("base64 becomes its bytes, across line breaks", () => {
  expect(textOf(bytesIn("TcO8\r\nbGxlcg=="))).toBe("Müller");
});

test("bytes that are not UTF-8 are marked", () => {
  expect(textOf(new Uint8Array([65, 255]))).toBe("A\ufffd");
});

test("control and direction characters are written out, lines and tabs are kept", () => {
  expect(visible("a\u0000b\u001b[31m\tc\nd\u202egnp.exe")).toBe(
    "a⟨U+0000⟩b⟨U+001B⟩[31m\tc\nd⟨U+202E⟩gnp.exe",
  );
});

test("letters of any script stay as they are", () => {
  expect(visible("שלום مرحبا 東京 👩‍🔬")).toBe("שלום مرحبا 東京 👩‍🔬");
});
