import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { useCursor } from "../../cursor";
import { type MoveOptions, Moves } from "./moves";

export interface Travel {
  /** The version to show: where the cursor is, or where a move is taking it. */
  readonly at: number;
  readonly move: (version: number, options?: MoveOptions) => void;
}

/** The cursor for drags and plays, which move faster than the address may change. */
export function useMoves(): Travel {
  const { at, last, go } = useCursor();
  const [moves] = useState(() => new Moves(() => performance.now()));
  const wanted = useSyncExternalStore(moves.subscribe, () => moves.wanted);
  useEffect(() => {
    moves.arrive(at);
  }, [moves, at]);
  const current = Math.min(wanted ?? at, last);
  const move = useCallback<Travel["move"]>(
    (version, options) => {
      const to = Math.max(1, Math.min(version, last));
      if (to !== (moves.wanted ?? at)) moves.move(to, go, options);
      else if (options?.isContinued !== true) moves.begin();
    },
    [moves, at, last, go],
  );
  return { at: current, move };
}
