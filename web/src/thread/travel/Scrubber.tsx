import { useCallback, useRef } from "react";
import { Canvas, type Drawing } from "./Canvas";
import { pixelsOf, placeOf, versionOn } from "./marks";
import type { MoveOptions } from "./moves/moves";
import styles from "./Travel.module.css";

const HEIGHT = 10;
/** Steps of Page up and Page down: this part of the thread. */
const PAGES = 10;

export interface Marks {
  readonly failed: readonly number[];
  readonly told: readonly number[];
  readonly suspected: readonly number[];
  readonly approvals: readonly number[];
  readonly hits: readonly number[];
  readonly a: number | undefined;
  readonly b: number | undefined;
}

interface ScrubberProps {
  readonly at: number;
  readonly last: number;
  /** What happened at the version, in a few words. */
  readonly words: string;
  readonly marks: Marks;
  readonly onMove: (version: number, options: MoveOptions) => void;
}

/** A slider over all versions, with marks below. */
export function Scrubber({ at, last, words, marks, onMove }: ScrubberProps) {
  const track = useRef<HTMLDivElement>(null);
  const draw = useCallback(
    (drawing: Drawing) => {
      drawMarks(drawing, marks, last);
    },
    [marks, last],
  );
  const point = (event: React.PointerEvent, isContinued: boolean): void => {
    const box = track.current?.getBoundingClientRect();
    if (box === undefined) return;
    onMove(versionOn(event.clientX - box.left, last, box.width), { isContinued });
  };
  const share = placeOf(at, last, 100);
  return (
    <div
      className={styles["slider"]}
      role="slider"
      tabIndex={0}
      aria-label="Version"
      aria-valuemin={1}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={`version ${at} of ${last}${words === "" ? "" : `, ${words}`}`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        point(event, false);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) point(event, true);
      }}
      onKeyDown={(event) => {
        const by = stepOf(event.key, last);
        if (by === 0) return;
        event.preventDefault();
        onMove(Math.max(1, Math.min(last, at + by)), { isStep: true });
      }}
    >
      <div ref={track} className={styles["track"]}>
        <div className={styles["rail"]}>
          <div className={styles["passed"]} style={{ width: `${share}%` }} />
        </div>
        <Canvas height={HEIGHT} draw={draw} />
        <Pin name="A" version={marks.a} last={last} />
        <Pin name="B" version={marks.b} last={last} />
        <div className={styles["thumb"]} style={{ left: `${share}%` }} />
      </div>
    </div>
  );
}

interface PinProps {
  readonly name: string;
  readonly version: number | undefined;
  readonly last: number;
}

function Pin({ name, version, last }: PinProps) {
  if (version === undefined) return null;
  const left = `${placeOf(Math.max(1, version), last, 100)}%`;
  return (
    <span className={styles["pin"]} style={{ left }} aria-hidden="true">
      {name}
    </span>
  );
}

/** The keys of a slider that are no shortcuts of the screen (WAI-ARIA's pattern of sliders). */
function stepOf(key: string, last: number): number {
  const page = Math.max(1, Math.round(last / PAGES));
  return { ArrowUp: 1, ArrowDown: -1, PageUp: page, PageDown: -page }[key] ?? 0;
}

function drawMarks({ context, width, colour }: Drawing, marks: Marks, last: number): void {
  const kinds = [
    { versions: marks.hits, name: "accent" },
    { versions: marks.approvals, name: "person" },
    { versions: marks.suspected, name: "warn" },
    { versions: marks.told, name: "told" },
    { versions: marks.failed, name: "bad" },
  ];
  for (const { versions, name } of kinds) {
    context.fillStyle = colour(name);
    for (const pixel of pixelsOf(versions, last, width)) {
      context.fillRect(Math.max(0, Math.min(pixel - 1, width - 3)), 1, 3, HEIGHT - 2);
    }
  }
}
