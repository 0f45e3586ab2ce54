import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Counted } from "./tokenCounter";

/** Milliseconds between two reports. */
const REPORT_MS = 50;

/** Counts tokens of texts in their order, and reports from time to time. */
addEventListener("message", ({ data: texts }: MessageEvent<string[]>) => {
  let counts: number[] = [];
  let reported = performance.now();
  texts.forEach((text, index) => {
    // special tokens such as <|endoftext|> are plain text here
    counts.push(countTokens(text, { disallowedSpecial: new Set() }));
    if (index < texts.length - 1 && performance.now() - reported < REPORT_MS) return;
    postMessage({ counts } satisfies Counted);
    counts = [];
    reported = performance.now();
  });
});
