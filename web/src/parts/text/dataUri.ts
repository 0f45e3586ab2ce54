import { bytes } from "../format";

/** Types of pictures that the page draws. SVG is a document that may run: never drawn. */
const DRAWN = /^image\/(?:png|jpeg|gif|webp)$/;
/** Shorter ones are read as letters. */
const DATA = /data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+=-]+)*;base64,([A-Za-z0-9+/]{64,})=*/g;

/** A part of a text: letters, or a file that stood in it as a data URI. */
export type Part =
  | { readonly text: string }
  | { readonly uri: string; readonly isDrawn: boolean; readonly name: string };

/** Cuts a text where files stand in it as data URIs; one part where none does. */
export function partsOf(text: string): readonly Part[] {
  if (!text.includes("data:")) return [{ text }];
  const parts: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(DATA)) {
    const [uri, type = "", letters = ""] = match;
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    const name = `${type}, ${bytes(Math.floor((letters.length * 3) / 4))}`;
    parts.push({ uri, isDrawn: DRAWN.test(type), name });
    from = match.index + uri.length;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
}

/** A text with the name of each file in place of its letters. */
export function withoutFiles(text: string): string {
  return partsOf(text)
    .map((part) => ("text" in part ? part.text : `[${part.name}]`))
    .join("");
}
