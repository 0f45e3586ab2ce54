const MOST = 20;

/** What a filter may become, by what its last word may go on to be. */
export function suggestions(text: string, terms: readonly string[]): string[] {
  const [, before = "", word = ""] = /^(.*?)([^\s(]*)$/s.exec(text) ?? [];
  const sign = word.startsWith("-") ? "-" : "";
  const start = word.slice(sign.length);
  return terms
    .filter((term) => term.startsWith(start) && term !== start)
    .slice(0, MOST)
    .map((term) => before + sign + term);
}

/** A text as a value of a filter's term: in quotes where it needs them. */
export function quoted(text: string): string {
  return /^[\w./~-]+$/.test(text)
    ? text
    : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
