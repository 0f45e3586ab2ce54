import type { Origin } from "./queries";

const MOST_NAMED = 4;

/** What a fork changed in what it copied: `replace 4, drop 6`. */
export function changeText(edits: Origin["edits"]): string {
  const named = edits.slice(0, MOST_NAMED).map(({ kind, version }) => `${kind} ${version}`);
  const more = edits.length - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The place that a key leads to from another, of so many; null for any other key. */
export function placeOf(key: string, from: number, length: number): number | null {
  switch (key) {
    case "ArrowDown":
      return Math.min(from + 1, length - 1);
    case "ArrowUp":
      return Math.max(from - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}
