import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Json } from "../api/exact";
import { FORMATS, formatShown } from "./FormatShown";
import { FORMAT_KINDS } from "./kinds";
import stories from "./stories.json";

const STORIES = Object.entries(stories as unknown as Record<string, Json>);
/** Payloads of another shape than a renderer expects. */
const ODD: readonly Json[] = [null, 7, "x", [], [{}], {}, { payload: 7, changes: "x", score: [1] }];

test("each renderer has a story, and each type a name", () => {
  expect(STORIES.map(([type]) => type).sort()).toEqual(Object.keys(FORMATS).sort());
  expect(STORIES.filter(([type]) => !(type in FORMAT_KINDS))).toEqual([]);
});

test.each(STORIES)("%s is drawn, not shown as JSON", (type, payload) => {
  const drawn = formatShown(type, payload);
  expect(drawn).not.toBeNull();
  expect(renderToStaticMarkup(drawn)).not.toBe("");
});

test.each(STORIES)("%s is drawn or left whatever its payload is", (type, payload) => {
  const cut = Object.keys(payload as object).map((name) => ({ ...(payload as object), [name]: 7 }));
  for (const odd of [...ODD, ...cut]) {
    expect(() => renderToStaticMarkup(formatShown(type, odd))).not.toThrow();
  }
});
