import type { Kind } from "#page/parts/kinds";

/** Types that the reader of inspect_ai's logs keeps beside those of the kernel. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "inspect.eval": { name: "evaluation", group: "note", fold: "machinery" },
  "inspect.sample_init": { name: "sample begins", group: "note", fold: "machinery" },
  "inspect.sample": { name: "sample", group: "score", fold: "machinery" },
  "inspect.score": { name: "score", group: "score" },
  "inspect.score_edit": { name: "score edited", group: "score" },
  "inspect.state": { name: "state", group: "state", fold: "machinery" },
  "inspect.store": { name: "store", group: "state", fold: "machinery" },
  "inspect.sandbox": { name: "sandbox", group: "tool", fold: "machinery" },
  "inspect.span_begin": { name: "span", group: "note", fold: "machinery" },
  "inspect.span_end": { name: "span ends", group: "note", fold: "machinery" },
  "inspect.step": { name: "step", group: "note", fold: "machinery" },
  "inspect.subtask": { name: "subtask", group: "note", fold: "machinery" },
};
