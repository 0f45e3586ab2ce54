import { countOf } from "../../parts/format";
import type { TreeNode } from "./queries";

const MOST_NAMED = 4;

/** What a fork changed: in what it copied, `replace 4, drop 6`; in a replay, `model gpt-5`. */
export function changeText({
  forkedFrom,
  replay,
}: Pick<TreeNode, "forkedFrom" | "replay">): string {
  const edits = forkedFrom?.edits ?? [];
  const named = edits.slice(0, MOST_NAMED).map(({ kind, version }) => `${kind} ${version}`);
  const more = edits.length - named.length;
  const text = named.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return [text, replay?.changes ?? ""].filter((part) => part !== "").join(", ");
}

/** What came of a replay beside its check, as far as it is known: ` · 2 live calls`. */
export function outcomeText({ liveCalls, unmet }: NonNullable<TreeNode["replay"]>): string {
  const live = liveCalls === null ? "" : ` · ${countOf(liveCalls, "live call")}`;
  return live + (unmet === null || unmet === 0 ? "" : ` · ${countOf(unmet, "change")} not met`);
}

/** The place that a key leads to from another, of so many; null for any other key. */
export function placeOf(key: string, from: number, length: number): number | null {
  switch (key) {
    case "ArrowDown":
      return Math.min(from + 1, length - 1);
    case "ArrowUp":
      return Math.max(from - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}
