import { expect, test } from "vitest";
import { visible } from "./visible";

test("control and direction characters are written out, lines and tabs are kept", () => {
  expect(visible("a\u0000b\u001b[31m\tc\nd\u202egnp.exe")).toBe(
    "a⟨U+0000⟩b⟨U+001B⟩[31m\tc\nd⟨U+202E⟩gnp.exe",
  );
});

test("characters without a glyph, which hide a text from a reader, are written out", () => {
  expect(visible("\u{e0041}\u200b\u2066")).toBe("⟨U+E0041⟩⟨U+200B⟩⟨U+2066⟩");
});

test("letters of any script stay as they are", () => {
  expect(visible("שלום مرحبا 東京 👩‍🔬")).toBe("שלום مرحبا 東京 👩‍🔬");
});
