import { expect, test } from "vitest";
import { partsOf, withoutFiles } from "./dataUri";

const LETTERS = "iVBORw0K".repeat(50);

test("a picture in a text is a part of its own, with its size", () => {
  const uri = `data:image/png;base64,${LETTERS}`;
  expect(partsOf(`see ${uri} there`)).toEqual([
    { text: "see " },
    { uri, isDrawn: true, name: "image/png, 300 B" },
    { text: " there" },
  ]);
  expect(partsOf(uri)).toHaveLength(1);
});

test("a document that may run is named, never drawn", () => {
  const uri = `data:image/svg+xml;charset=utf-8;base64,${LETTERS}`;
  expect(partsOf(uri)).toMatchObject([{ isDrawn: false }]);
  expect(withoutFiles(`a ${uri}`)).toBe("a [image/svg+xml, 300 B]");
});

test("other texts stay as they are", () => {
  for (const text of ["", "data:", "data:image/png;base64,short", "metadata: x"]) {
    expect(partsOf(text)).toEqual([{ text }]);
  }
});
