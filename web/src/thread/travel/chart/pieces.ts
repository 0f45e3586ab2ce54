import type { Range } from "./axis";
import { firstAfter, type Row } from "./lanes";

/** Pixels: a shorter bar is a mark. */
export const NARROW = 3;

/** What is drawn of a row, in pixels: a bar or several that overlap, or marks that share a pixel. */
export interface Piece {
  /** The span of the bar that began first; of marks the one with the worst tone. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Returns what of a row is drawn on `width` pixels, from left to right. */
export function piecesOf(row: Row, range: Range, width: number): Piece[] {
  const scale = width / (range.to - range.from);
  const worst = new Int32Array(Math.ceil(width) + 1).fill(-1);
  const first = firstAfter(row.reach, range.from - NARROW / scale);
  const beyond = firstAfter(row.starts, range.to);
  const pieces: Piece[] = [];
  for (let bar = first; bar < beyond; bar += 1) {
    const start = ((row.starts[bar] ?? 0) - range.from) * scale;
    const to = ((row.ends[bar] ?? 0) - range.from) * scale;
    if (to < -NARROW) continue;
    if (to - start < NARROW) {
      const pixel = Math.max(0, Math.min(worst.length - 1, Math.round(start)));
      const known = worst[pixel] ?? -1;
      if (known < 0 || (row.tones[bar] ?? 0) > (row.tones[known] ?? 0)) worst[pixel] = bar;
      continue;
    }
    const from = Math.max(start, -NARROW);
    const before = pieces.at(-1);
    if (before === undefined || from >= before.to) {
      pieces.push({ index: row.spans[bar] ?? 0, from, to, count: 1 });
    } else {
      const reach = Math.max(before.to, to);
      pieces[pieces.length - 1] = { ...before, to: reach, count: before.count + 1 };
    }
  }
  for (const [pixel, bar] of worst.entries()) {
    if (bar < 0) continue;
    pieces.push({ index: row.spans[bar] ?? 0, from: pixel, to: pixel, count: 1 });
  }
  return pieces.sort((one, other) => one.from - other.from);
}
