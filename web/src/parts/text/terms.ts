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
export function quote(text: string): string {
  return /^[\w./~-]+$/.test(text) ? text : inQuotes(text);
}

/** A text as one that is in quotes. */
export function inQuotes(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** A value of metadata as filters have it: a text that reads as other JSON is in quotes. */
export function scalarTerm(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return /^(?:-?[0-9].*|true|false|null)$/s.test(value) ? inQuotes(value) : quote(value);
}

/** Splits a filter where it has a space, but for those in quotes and parentheses. */
function pieces(filter: string): string[] {
  const list = [""];
  let depth = 0;
  for (const [piece] of filter.matchAll(/"(?:[^"\\]|\\.)*"|\s+|./gs)) {
    if (piece === "(") depth += 1;
    if (piece === ")") depth -= 1;
    if (depth === 0 && piece.trim() === "") list.push("");
    else list.push((list.pop() ?? "") + piece);
  }
  return list.filter((piece) => piece !== "" && piece.toLowerCase() !== "and");
}

/** The parts of a filter that must all hold; one in parentheses, where it joins alternatives. */
export function partsOf(filter: string): string[] {
  const list = pieces(filter);
  if (list.some((piece) => piece.toLowerCase() === "or")) return [`(${filter})`];
  return list.reduce<string[]>(
    (parts, piece) =>
      parts.at(-1)?.toLowerCase() === "not"
        ? [...parts.slice(0, -1), `-${piece}`]
        : [...parts, piece],
    [],
  );
}

/** The filter with a part, or without it where it has it. */
export function toggle(filter: string, part: string): string {
  const parts = partsOf(filter);
  return (parts.includes(part) ? parts.filter((other) => other !== part) : [...parts, part]).join(
    " ",
  );
}

/** The filter with `name:value` in place of what it says of the name; without, where it is empty. */
export function withValue(filter: string, name: string, value: string): string {
  const others = partsOf(filter).filter((part) => !part.startsWith(`${name}:`));
  return [...others, ...(value === "" ? [] : [`${name}:${value}`])].join(" ");
}

/** What a filter says of a name; empty where it says nothing. */
export function valueIn(filter: string, name: string): string {
  const part = partsOf(filter).find((other) => other.startsWith(`${name}:`));
  const value = part?.slice(name.length + 1) ?? "";
  return /^".*"$/s.test(value) ? value.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") : value;
}
