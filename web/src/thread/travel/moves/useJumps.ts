import { useEffect, useState } from "react";
import { useCursor } from "../../cursor";
import { useHits } from "../../hits";
import { attemptBeside } from "../../timeline/attempts";
import type { ThreadTimeline } from "../../timeline/timeline";
import { next } from "../marks";
import { type JumpMark, JUMPS } from "./keys";
import type { MoveOptions } from "./moves";

export interface Jumps {
  /** Goes to the next or the previous attempt at what the event at `at` calls or answers. */
  readonly again: (by: 1 | -1) => void;
  readonly jump: (mark: JumpMark, by: 1 | -1, isHeld?: boolean) => void;
  /** Why a jump is not possible; null where it is. */
  readonly missing: (mark: JumpMark) => string | null;
  /** Why the last jump went nowhere; empty where it did not. */
  readonly notice: string;
  /** Forgets the notice, and the jump that waits for the timeline. */
  readonly reset: () => void;
}

/** Jumps from `at` to the next and previous mark; one into what is not read yet waits for it. */
export function useJumps(
  timeline: ThreadTimeline,
  at: number,
  move: (version: number, options: MoveOptions) => void,
): Jumps {
  const { address } = useCursor();
  const { versions: hits, error, isPending } = useHits();
  const [notice, setNotice] = useState("");
  const [awaited, setAwaited] = useState<{ mark: JumpMark; by: 1 | -1 } | null>(null);
  const reset = (): void => {
    setNotice("");
    setAwaited(null);
  };
  const missing = (mark: JumpMark): string | null => {
    if (mark !== "hit" || hits.length > 0) return null;
    if (address.find === undefined) return "Find a text first: its matches are marks";
    if (isPending) return "Searching…";
    return error === null ? `No match of “${address.find}”` : error.message;
  };
  const jump = (mark: JumpMark, by: 1 | -1, isHeld = false): void => {
    const isRead = mark === "hit" || timeline.isComplete || (by === -1 && timeline.loadedTo >= at);
    const target = mark === "hit" ? next(hits, at, by) : timeline.find(mark, at, by);
    const isOver = target === null && mark === "failed" && isRead;
    const doubt = isOver ? nearest(timeline, at, by) : null;
    if (target !== null && (isRead || by === 1)) {
      reset();
      move(target, { isContinued: isHeld });
    } else if (doubt !== null) {
      reset();
      move(doubt.version, { isContinued: isHeld });
      setNotice(
        `No failure ${by === 1 ? "after" : "before"} that: v${doubt.version} is ${WORD_TEXTS[doubt.word]}`,
      );
    } else if (isRead) {
      setAwaited(null);
      setNotice(missing(mark) ?? `No ${nameOf(mark)} ${by === 1 ? "after" : "before"} this`);
    } else {
      setAwaited({ mark, by });
      setNotice(`Reading on to the ${by === 1 ? "next" : "previous"} ${nameOf(mark)}…`);
    }
  };
  const again = (by: 1 | -1): void => {
    const target = attemptBeside(timeline, at, by);
    reset();
    if (target !== null) move(target, {});
    else setNotice(`No ${by === 1 ? "later" : "earlier"} attempt at this`);
  };
  useEffect(() => {
    if (awaited === null) return;
    const again = setTimeout(() => {
      jump(awaited.mark, awaited.by);
    });
    return () => {
      clearTimeout(again);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- again when there is more to look in
  }, [awaited, timeline]);
  return { again, jump, missing, notice, reset };
}

const WORD_TEXTS = { told: "told to have failed", suspected: "suspected" };

interface Doubt {
  readonly version: number;
  readonly word: keyof typeof WORD_TEXTS;
}

/** The nearest version of what is only told or suspected. */
function nearest(timeline: ThreadTimeline, at: number, by: 1 | -1): Doubt | null {
  const doubts = (["told", "suspected"] as const).flatMap((word) => {
    const version = timeline.find(word, at, by);
    return version === null ? [] : [{ version, word }];
  });
  return doubts.sort((one, other) => (one.version - other.version) * by)[0] ?? null;
}

function nameOf(mark: JumpMark): string {
  return JUMPS.find((jump) => jump.mark === mark)?.name ?? mark;
}
