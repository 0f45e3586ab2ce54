import { quote } from "../../parts/text/terms";
import type { Seen } from "./seen";

/** Terms of a list of threads, as the service reads them. */
const TERMS = [
  "failed",
  "succeeded",
  "open",
  "pending",
  "has:error",
  "tool:",
  "rule:",
  "label:",
  "judged:",
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
export const STATUSES = ["open", "exited", "closed"];

/** What the last word of a filter of threads may be. */
export function termsOf(seen: Seen): string[] {
  return [
    ...TERMS,
    ...[...seen.metadata.keys()].map((key) => `metadata.${quote(key)}:`),
    ...seen.tools.map((tool) => `tool:${quote(tool)}`),
    ...STATUSES.map((status) => `status:${status}`),
  ];
}
