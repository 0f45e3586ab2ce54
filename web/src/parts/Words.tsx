import { count } from "./format";

/** Counts of the three words for what is known of failures; each item has one. */
export interface WordCounts {
  readonly failures: number;
  readonly told: number;
  readonly suspected: number;
}

/** Class of the badge of each word. */
export const WORD_TONES = { failed: "bad", told: "told", suspected: "warn" } as const;

/** How much failed, is told to have, or is suspected: a badge each, nothing where there is none. */
export function Words({ of, title }: { of: WordCounts; title?: string | undefined }) {
  return (
    <>
      {wordsOf(of).map(([word, total]) => (
        <span key={word} className={`badge ${WORD_TONES[word]}`} title={title}>
          {count(total)} {word}
        </span>
      ))}
    </>
  );
}

/** The words that something has, with their counts, the strongest first. */
export function wordsOf({ failures, told, suspected }: WordCounts) {
  const counts = [
    ["failed", failures],
    ["told", told],
    ["suspected", suspected],
  ] as const;
  return counts.filter(([, total]) => total > 0);
}
