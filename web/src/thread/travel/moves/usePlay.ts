import { useEffect, useRef, useState } from "react";
import type { Course } from "../course";
import { advance, type Playhead, type Speed } from "./playback";

interface PlayOptions {
  readonly at: number;
  readonly course: Course;
  /** Versions to stop at, in their order. */
  readonly stops: readonly number[];
  readonly onMove: (version: number, options: { isContinued: boolean }) => void;
}

export interface Play {
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly setSpeed: (speed: Speed) => void;
  readonly toggle: () => void;
  readonly stop: () => void;
}

/** Plays from the cursor, or from the beginning where that is at the end, to a stop or the end. */
export function usePlay({ at, course, stops, onMove }: PlayOptions): Play {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const latest = useRef({ at, course, stops, onMove });
  useEffect(() => {
    latest.current = { at, course, stops, onMove };
  });
  const head = useRef<Playhead>({ version: 1, waited: 0 });
  const toggle = (): void => {
    if (!isPlaying) {
      head.current = { version: at < course.last ? at : 1, waited: 0 };
      onMove(head.current.version, { isContinued: false });
    }
    setPlaying(!isPlaying && course.last > 1);
  };
  useEffect(() => {
    if (!isPlaying) return;
    let before = performance.now();
    const tick = (now: number): void => {
      const { course, stops, onMove } = latest.current;
      const { version } = head.current;
      const last = stops.find((stop) => stop > version) ?? course.last;
      const { times } = course;
      head.current = advance(head.current, Math.max(0, now - before), { times, speed, last });
      before = now;
      if (head.current.version !== version) onMove(head.current.version, { isContinued: true });
      if (head.current.version >= last) setPlaying(false);
      else frame = requestAnimationFrame(tick);
    };
    let frame = requestAnimationFrame(tick);
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [isPlaying, speed]);
  const stop = (): void => {
    setPlaying(false);
  };
  return { isPlaying, speed, setSpeed, toggle, stop };
}
