import type { ComparedItem, Comparison } from "../queries";

/** An item in its column; `place` of a folded run is that of its first item. */
export interface Cell {
  readonly place: string;
  /** Null in a folded run. */
  readonly item: ComparedItem | null;
}

/** A row of the alignment: a cell a column, null where that side has nothing here. */
export interface Row {
  readonly isEqual: boolean;
  /** Items of each side: more than 1 in a run of equal items that came folded. */
  readonly count: number;
  readonly cells: readonly (Cell | null)[];
}

/** One comparison, indexed by the first side's items from 0. */
interface Spine {
  /** Items of the first side that the pages so far cover. */
  readonly length: number;
  /** Whether all of the alignment is there. */
  readonly isWhole: boolean;
  readonly pairs: ReadonlyMap<number, Pair>;
  readonly folds: readonly Fold[];
  /** Items of the other side alone, before an item of the first. */
  readonly inserts: ReadonlyMap<number, readonly ComparedItem[]>;
}
interface Pair {
  readonly a: ComparedItem;
  readonly b: ComparedItem | null;
  readonly isEqual: boolean;
}
interface Fold {
  readonly from: number;
  readonly to: number;
  readonly a: string;
  readonly b: string;
}

/**
 * Joins comparisons of one side with each other one to one alignment, a column a side.
 *
 * `pages` are those of `GET /v1/compare`, in order. What only other sides have is put side by side
 * between two items of the first. The result ends where the first comparison does not go on.
 */
export function align(pages: readonly { comparisons: readonly Comparison[] }[]): Row[] {
  const sides = pages[0]?.comparisons.length ?? 0;
  const spines = Array.from({ length: sides }, (_, side) =>
    spineOf(pages.flatMap(({ comparisons }) => comparisons[side] ?? [])),
  );
  const length = Math.min(...spines.map((spine) => spine.length));
  const isWhole = spines.every((spine) => spine.isWhole);
  const rows: Row[] = [];
  for (let at = 0; at < length;) {
    rows.push(...insertedRows(spines, at));
    const row = rowAt(spines, at, length);
    rows.push(row);
    at += row.count;
  }
  if (isWhole) rows.push(...insertedRows(spines, length));
  return rows;
}

function spineOf(pages: readonly Comparison[]): Spine {
  const pairs = new Map<number, Pair>();
  const inserts = new Map<number, ComparedItem[]>();
  const folds: Fold[] = [];
  let length = 0;
  for (const { op, count, a, b } of pages.flatMap(({ items }) => items)) {
    if (isFolded(a) && isFolded(b)) {
      folds.push({ from: length, to: length + count, a: a.from, b: b.from });
      length += count;
    } else if (isItem(a)) {
      pairs.set(length, { a, b: isItem(b) ? b : null, isEqual: op === "equal" });
      length += 1;
    } else if (isItem(b)) {
      const before = inserts.get(length);
      if (before === undefined) inserts.set(length, [b]);
      else before.push(b);
    }
  }
  return { length, isWhole: pages.at(-1)?.next === null, pairs, inserts, folds };
}

type Entry = Comparison["items"][number]["a"];

function isFolded(entry: Entry): entry is { from: string; to: string } {
  return entry !== undefined && "from" in entry;
}

function isItem(entry: Entry): entry is ComparedItem {
  return entry !== undefined && "item" in entry;
}

function foldAt({ folds }: Spine, at: number): Fold | undefined {
  return folds.find(({ from, to }) => from <= at && at < to);
}

/** The row of the first side's item `at`, or of all items from there that every side folds. */
function rowAt(spines: readonly Spine[], at: number, length: number): Row {
  const first = spines.map((spine) => spine.pairs.get(at)?.a).find((a) => a !== undefined);
  const folds = spines.map((spine) => foldAt(spine, at));
  if (first === undefined) {
    const end = Math.min(length, ...folds.map((fold) => fold?.to ?? length));
    const places = [folds[0]?.a ?? "", ...folds.map((fold) => fold?.b ?? "")];
    return {
      isEqual: true,
      count: Math.max(1, end - at),
      cells: places.map((place) => ({ place, item: null })),
    };
  }
  const others = spines.map((spine, side): Cell | null => {
    const pair = spine.pairs.get(at);
    if (pair === undefined) return { place: folds[side]?.b ?? "", item: first };
    return pair.b === null ? null : { place: pair.b.place, item: pair.b };
  });
  return {
    isEqual: spines.every((spine) => spine.pairs.get(at)?.isEqual ?? true),
    count: 1,
    cells: [{ place: first.place, item: first }, ...others],
  };
}

function insertedRows(spines: readonly Spine[], at: number): Row[] {
  const inserted = spines.map((spine) => spine.inserts.get(at) ?? []);
  const most = Math.max(0, ...inserted.map((items) => items.length));
  return Array.from({ length: most }, (_, number) => ({
    isEqual: false,
    count: 1,
    cells: [
      null,
      ...inserted.map((items): Cell | null => {
        const item = items[number];
        return item === undefined ? null : { place: item.place, item };
      }),
    ],
  }));
}
