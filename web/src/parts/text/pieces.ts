const LONGEST_PIECE = 2000;

/**
 * Cuts a text into its lines, and lines of more than 2,000 characters into pieces of that length,
 * never within a surrogate pair. Joined with their line breaks, the pieces are the text again.
 */
export function pieces(text: string): string[] {
  const parts: string[] = [];
  for (const line of text.split("\n")) {
    let from = 0;
    while (line.length - from > LONGEST_PIECE) {
      let to = from + LONGEST_PIECE;
      if (isHighSurrogate(line.charCodeAt(to - 1))) to -= 1;
      parts.push(line.slice(from, to));
      from = to;
    }
    parts.push(line.slice(from));
  }
  return parts;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
