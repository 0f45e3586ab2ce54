/** Returns how well a name answers a text, 0 the best; null where it does not have its words. */
export function rankOf(name: string, text: string): number | null {
  const [wanted, within] = [text.trim().toLowerCase(), name.toLowerCase()];
  if (wanted === "") return 0;
  if (within.startsWith(wanted)) return 0;
  const words = wanted.split(/\s+/);
  if (words.every((word) => startsWord(within, word))) return 1;
  return words.every((word) => within.includes(word)) ? 2 : null;
}

/** Returns those whose names answer a text, best first, else in their order. */
export function rankByName<T extends { readonly name: string }>(
  items: readonly T[],
  text: string,
): T[] {
  return items
    .map((item) => ({ item, rank: rankOf(item.name, text) }))
    .filter(({ rank }) => rank !== null)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ item }) => item);
}

function startsWord(name: string, word: string): boolean {
  return name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word));
}
