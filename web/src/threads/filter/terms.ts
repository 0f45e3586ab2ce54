import type { Seen } from "./seen";

/** Terms of a list of threads, as the service reads them. */
const TERMS = [
  "failed",
  "succeeded",
  "open",
  "pending",
  "tool:",
  "rule:",
  "status:",
  "exit:",
  "thread:",
  "parent:",
  "took>",
  "tokens>",
  "cost>",
  "score<",
  "steps>",
  "calls>",
  "errors>",
  "loops>",
  "anomalies>",
] as const;
const STATUSES = ["open", "exited", "closed"];
const MOST = 20;

/** What a filter may become, by what its last word may go on to be. */
export function suggestions(text: string, seen: Seen): string[] {
  const [, before = "", word = ""] = /^(.*?)([^\s(]*)$/s.exec(text) ?? [];
  const terms = [
    ...TERMS,
    ...[...seen.metadata.keys()].map((key) => `metadata.${quoted(key)}:`),
    ...seen.tools.map((tool) => `tool:${quoted(tool)}`),
    ...STATUSES.map((status) => `status:${status}`),
  ];
  const sign = word.startsWith("-") ? "-" : "";
  const start = word.slice(sign.length);
  return terms
    .filter((term) => term.startsWith(start) && term !== start)
    .slice(0, MOST)
    .map((term) => before + sign + term);
}

function quoted(text: string): string {
  return /^[\w./~-]+$/.test(text)
    ? text
    : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
