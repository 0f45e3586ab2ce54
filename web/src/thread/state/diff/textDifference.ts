import { diffLines, diffWordsWithSpace } from "diff";

/** A run of a text: kept, or only in the later or the earlier one. */
export interface Run {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Characters of both texts up to which words are compared; beyond that lines are. */
const MOST_FOR_WORDS = 20_000;
/** Milliseconds that a comparison may take: it runs while the reader waits. */
const LONGEST_MS = 100;
const SHOWN_OF_KEPT = 200;

/** Returns the difference of two texts by words or lines; of long kept runs the two ends. */
export function textDiff(before: string, after: string): Run[] {
  const isLong = before.length + after.length > MOST_FOR_WORDS;
  const changes = isLong
    ? diffLines(before, after, { timeout: LONGEST_MS })
    : diffWordsWithSpace(before, after, { timeout: LONGEST_MS });
  if (changes === undefined) {
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  }
  return changes.map(({ added, removed, value }) => {
    if (added) return { kind: "added", text: value };
    return removed ? { kind: "removed", text: value } : { kind: "same", text: abbreviate(value) };
  });
}

function abbreviate(text: string): string {
  const left = text.length - 2 * SHOWN_OF_KEPT;
  if (left < SHOWN_OF_KEPT) return text;
  return `${text.slice(0, SHOWN_OF_KEPT)} … ${left} unchanged characters … ${text.slice(-SHOWN_OF_KEPT)}`;
}
