import { quote } from "../../parts/text/terms";

/** Terms of a filter of events, as the service reads them. */
const TERMS = [
  "failed",
  "succeeded",
  "open",
  "tool:",
  "type:",
  "rule:",
  "worker:",
  "took>",
  "tokens>",
  "cost>",
  "version>",
  "text:",
  "$.args.",
] as const;

type Counted = readonly (readonly [name: string, count: number])[];

/** What the last word of a filter of events may be. */
export function termsOf(types: Counted, tools: Counted): string[] {
  return [
    ...TERMS,
    ...tools.map(([tool]) => `tool:${quote(tool)}`),
    ...types.map(([type]) => `type:${quote(type)}`),
  ];
}
