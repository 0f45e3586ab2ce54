import { useMemo } from "react";
import { count } from "../../parts/format";
import { MARKS } from "../address";
import { useCursor } from "../cursor";
import type { Hits } from "../hits";
import type { ThreadTimeline } from "../timeline/timeline";

const NAMES = {
  failed: "Failed",
  told: "Told to have failed",
  suspected: "Suspected",
  tool: "Calls",
  approval: "Approvals",
  hit: "Matches",
};

interface FiltersProps {
  readonly timeline: ThreadTimeline;
  readonly hits: Hits;
}

/** Selects which events are listed: all, or those with a mark. */
export function Filters({ timeline, hits }: FiltersProps) {
  const { address, change } = useCursor();
  const counts = useMemo(
    () => ({
      failed: timeline.countMarked("failed"),
      told: timeline.countMarked("told"),
      suspected: timeline.countMarked("suspected"),
      tool: timeline.countMarked("tool"),
      approval: timeline.countMarked("approval"),
      hit: hits.versions.length,
    }),
    [timeline, hits.versions],
  );
  return (
    <select
      aria-label="Show only"
      value={address.only ?? ""}
      onChange={({ target }) => {
        change({ only: MARKS.find((mark) => mark === target.value) });
      }}
    >
      <option value="">All events</option>
      {MARKS.filter((mark) => mark !== "hit" || address.find !== undefined).map((mark) => (
        <option key={mark} value={mark}>
          {NAMES[mark]} ({count(counts[mark])})
        </option>
      ))}
    </select>
  );
}
