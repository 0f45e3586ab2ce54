import type { components } from "../../api/schema";

export interface Hit extends Omit<components["schemas"]["Hit"], "excerpts"> {
  readonly excerpts: readonly {
    readonly place: string;
    readonly text: string;
    readonly ranges: readonly (readonly number[])[];
  }[];
}

/** A row of the list of hits: a thread's name, or a hit in it. */
export type HitRow =
  | { readonly threadId: string; readonly count: number }
  | { readonly threadId: string; readonly hit: Hit };

/** Hits by thread: threads in the order of their first hit, hits in the order they came. */
export function byThread(hits: readonly Hit[]): HitRow[] {
  return [...Map.groupBy(hits, ({ threadId }) => threadId)].flatMap(([threadId, ofThread]) => [
    { threadId, count: ofThread.length },
    ...ofThread.map((hit) => ({ threadId, hit })),
  ]);
}

export interface Piece {
  readonly text: string;
  readonly isHit: boolean;
}

const CUT: Piece = { text: "…", isHit: false };

/** Characters around the first match that an excerpt has, where its text goes on. */
const AROUND = 80;

/** Cuts an excerpt at ranges of characters, which are code points: `[from, to)`, in order. */
export function cutExcerpt(text: string, ranges: readonly (readonly number[])[]): Piece[] {
  const characters = Array.from(text);
  const pieces: Piece[] = [];
  let from = 0;
  const cut = (to: number, isHit: boolean): void => {
    if (to > from) pieces.push({ text: characters.slice(from, to).join(""), isHit });
    from = Math.max(from, to);
  };
  for (const [start = 0, end = 0] of ranges) {
    cut(start, false);
    cut(end, true);
  }
  cut(characters.length, false);
  const [start = 0, end = 0] = ranges[0] ?? [];
  if (start >= AROUND) pieces.unshift(CUT);
  if (characters.length - end >= AROUND) pieces.push(CUT);
  return pieces;
}
