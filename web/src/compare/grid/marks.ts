import { diffWordsWithSpace } from "diff";

/** A part of a text, marked where it differs. */
export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Words that may change before two texts count as altogether different. */
const MOST_CHANGES = 2000;
/** Equal characters between two changes that are not worth a gap between their marks. */
const FEW = 3;

/**
 * Marks the words in which texts differ from the first one.
 *
 * Of the first text, what any other lacks is marked; of the others, what the first lacks. Null is
 * where a side has no text.
 */
export function mark(first: string, others: readonly (string | null)[]): (Piece[] | null)[] {
  const lacking = new Uint8Array(first.length);
  const otherPieces = others.map((other) => {
    if (other === null) return null;
    const has = new Uint8Array(other.length);
    if (other !== first) markWords(first, other, lacking, has);
    return pieces(other, has);
  });
  return [pieces(first, lacking), ...otherPieces];
}

function markWords(a: string, b: string, inA: Uint8Array, inB: Uint8Array): void {
  const changes = diffWordsWithSpace(a, b, { maxEditLength: MOST_CHANGES });
  if (changes === undefined) {
    inA.fill(1);
    inB.fill(1);
    return;
  }
  let [atA, atB] = [0, 0];
  for (const { value, added, removed } of changes) {
    if (removed) inA.fill(1, atA, atA + value.length);
    else if (added) inB.fill(1, atB, atB + value.length);
    if (!added) atA += value.length;
    if (!removed) atB += value.length;
  }
}

function pieces(text: string, marks: Uint8Array): Piece[] {
  const runs: { from: number; to: number; isMarked: boolean }[] = [];
  for (let from = 0; from < text.length;) {
    let to = from + 1;
    while (to < text.length && marks[to] === marks[from]) to += 1;
    runs.push({ from, to, isMarked: marks[from] === 1 });
    from = to;
  }
  const list: Piece[] = [];
  for (const [index, { from, to, isMarked }] of runs.entries()) {
    const isGap = !isMarked && to - from <= FEW && index > 0 && index < runs.length - 1;
    const isMarkedNow = isMarked || (isGap && !text.slice(from, to).includes("\n"));
    const last = list.at(-1);
    const part = text.slice(from, to);
    if (last?.isMarked === isMarkedNow) list[list.length - 1] = { ...last, text: last.text + part };
    else list.push({ text: part, isMarked: isMarkedNow });
  }
  return list;
}

const LONGEST_EQUAL = 240;
const LONGEST_MARKED = 600;
const KEPT = 100;

/** Leaves out the middle of long equal parts, and the end of very long others; null if all fits. */
export function abbreviate(list: readonly Piece[]): Piece[] | null {
  const short = list.map(abbreviatePiece);
  return short.some((piece, index) => piece !== list[index]) ? short : null;
}

function abbreviatePiece(piece: Piece): Piece {
  const { text, isMarked } = piece;
  if (text.length <= (isMarked ? LONGEST_MARKED : LONGEST_EQUAL)) return piece;
  return isMarked
    ? { text: `${text.slice(0, LONGEST_MARKED)} …`, isMarked }
    : { text: `${text.slice(0, KEPT)} … ${text.slice(-KEPT)}`, isMarked };
}
