import { useCursor } from "../../cursor";
import type { LaneRows } from "./lanes";

/** The name of a lane; where it has several rows, a button that folds them into one. */
export function LaneName({ lane: { lane, rows, unfolded } }: { lane: LaneRows }) {
  const { address, change } = useCursor();
  const height = rows.reduce((sum, row) => sum + row.height, 0);
  const folded = address.lanes ?? [];
  const isFolded = rows.length < unfolded;
  if (unfolded === 1) return <span style={{ height }}>{lane}</span>;
  return (
    <span style={{ height }}>
      <button
        type="button"
        className="quiet"
        aria-expanded={!isFolded}
        title={isFolded ? `Show ${unfolded} rows` : "Fold into one row"}
        onClick={() => {
          const others = folded.filter((other) => other !== lane);
          const lanes = isFolded ? others : [...others, lane];
          change({ lanes: lanes.length === 0 ? undefined : lanes }, { replace: true });
        }}
      >
        <span aria-hidden="true">{isFolded ? "▸" : "▾"}</span> {lane}
      </button>
    </span>
  );
}
