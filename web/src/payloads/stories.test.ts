import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Json } from "../api/exact";
import { ADDED } from "../extensions";
import { kindOf } from "../parts/kinds";
import { PAYLOADS, payloadShown } from "./payloadShown";
import own from "./stories.json";

type Stories = Readonly<Record<string, Json>>;
/** A payload for each renderer: the page's, and those of extensions. */
const STORIES = [
  own as unknown as Stories,
  ...Object.values(
    import.meta.glob<Stories>("../../../agentlog/extensions/**/web/stories.json", {
      eager: true,
      import: "default",
    }),
  ),
].flatMap((stories) => Object.entries(stories));
const RENDERERS = [...Object.keys(PAYLOADS), ...Object.keys(ADDED.payloads)];
/** Payloads of another shape than a renderer expects. */
const ODD: readonly Json[] = [null, 7, "x", [], [{}], {}, { payload: 7, changes: "x", score: [1] }];

test("each renderer has a story, and each type a name", () => {
  expect(STORIES.map(([type]) => type).sort()).toEqual(RENDERERS.sort());
  expect(STORIES.filter(([type]) => kindOf(type).name === type)).toEqual([]);
});

test.each(STORIES)("%s is drawn, not shown as JSON", (type, payload) => {
  const drawn = payloadShown(type, payload);
  expect(drawn).not.toBeNull();
  expect(renderToStaticMarkup(drawn)).not.toBe("");
});

test.each(STORIES)("%s is drawn or left whatever its payload is", (type, payload) => {
  const cut = Object.keys(payload as object).map((name) => ({ ...(payload as object), [name]: 7 }));
  for (const odd of [...ODD, ...cut]) {
    expect(() => renderToStaticMarkup(payloadShown(type, odd))).not.toThrow();
  }
});
