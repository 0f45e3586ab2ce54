import type { Fold } from "../address";
import type { Mark, Span, Timeline } from "../timeline/timeline";
import { wordOf } from "../timeline/span";
import { foldOf } from "./folding";
import type { Closed } from "./groups/closed";
import { type Group, type Groups, NO_GROUPS } from "./groups/groups";

/** A row of the list: an event, the head of a group, or a run of folded events. */
export interface Row {
  readonly first: number;
  /** Equal to `first` but for a run. */
  readonly last: number;
  /** Of a run or group, whether its events follow it as rows of their own; null for an event. */
  readonly isOpen: boolean | null;
  /** The group that its event begins, where the list has groups. */
  readonly group?: Group | undefined;
}

export interface RowsOptions {
  /** Version of the last event. */
  readonly last: number;
  /** Versions to draw alone, in their order; null for all, with what is folded. */
  readonly only: readonly number[] | null;
  /** Kinds of types, and types by themselves. */
  readonly folds: ReadonlySet<string>;
  /** First versions of the runs that are unfolded. */
  readonly unfolded: ReadonlySet<number>;
  readonly typeOf: (version: number) => string | null;
  /** What is never folded, whatever its type. */
  readonly isNotable: (version: number) => boolean;
  readonly groups?: Groups;
  /** Groups of which only the head is drawn. */
  readonly closed?: Closed;
  /** The version that an event is drawn with: its own, or that of the call it is the result of. */
  readonly drawnWith?: (version: number) => number;
}

/** Lines that are drawn of one event. */
export const MOST_LINES = 8;

const EVENT = 0;
const CLOSED = 1;
const OPEN = 2;

/** The rows to draw, kept in two columns: there may be 100,000. */
export class Rows {
  private readonly firsts: number[] = [];
  private readonly shapes: number[] = [];
  /** Last versions of runs, by their first. */
  private readonly ends = new Map<number, number>();
  private readonly drawnWith: (version: number) => number;
  private readonly groups: Groups;

  constructor(options: RowsOptions) {
    this.groups = options.only === null ? (options.groups ?? NO_GROUPS) : NO_GROUPS;
    this.drawnWith = options.drawnWith ?? ((version) => version);
    if (options.only === null) this.fold(options);
    else this.select(options.only);
  }

  get length(): number {
    return this.firsts.length;
  }

  row(index: number): Row {
    const first = this.firsts[index] ?? 0;
    const shape = this.shapes[index];
    const group = this.groups.beginningAt(first);
    if (shape === EVENT) return { first, last: first, isOpen: null };
    return { first, last: this.ends.get(first) ?? first, isOpen: shape === OPEN, group };
  }

  /** Groups around a row. */
  depth(index: number): number {
    return this.groups.depthAt(this.firsts[index] ?? 0);
  }

  /** The row that has a version, else the one before it; -1 where there is none. */
  indexOf(at: number): number {
    const version = this.drawnWith(at);
    let low = 0;
    let high = this.firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.firsts[middle] ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private add(version: number, shape: number): void {
    this.firsts.push(version);
    this.shapes.push(shape);
  }

  private select(versions: readonly number[]): void {
    const drawn = new Set(versions.map(this.drawnWith));
    for (const version of [...drawn].sort((a, b) => a - b)) this.add(version, EVENT);
  }

  private fold({ last, folds, unfolded, typeOf, isNotable, closed }: RowsOptions): void {
    const ends = new Set(this.groups.list.map(({ endVersion }) => endVersion));
    const goesOn = (version: number): boolean =>
      version < last && !ends.has(version) && this.groups.beginningAt(version + 1) === undefined;
    const isFolded = (version: number): boolean => {
      const type = typeOf(version);
      if (type === null || isNotable(version)) return false;
      return folds.has(foldOf(type) ?? type) || folds.has(type);
    };
    for (let version = 1; version <= last; version += 1) {
      if (this.drawnWith(version) !== version) continue;
      const group = this.groups.beginningAt(version);
      if (group !== undefined) {
        const isClosed = closed?.has(group) === true;
        this.add(version, isClosed ? CLOSED : OPEN);
        if (isClosed) version = group.endVersion;
        continue;
      }
      if (folds.size === 0 || !isFolded(version)) {
        this.add(version, EVENT);
        continue;
      }
      const first = version;
      while (goesOn(version) && isFolded(version + 1)) version += 1;
      this.ends.set(first, version);
      this.add(first, unfolded.has(first) ? OPEN : CLOSED);
      if (!unfolded.has(first)) continue;
      for (let event = first; event <= version; event += 1) this.add(event, EVENT);
    }
  }
}

/**
 * The row that a step from a version goes to; null at the ends. A step passes the head of an
 * unfolded run, which has the version of the run's first event.
 */
export function nextRow(rows: Rows, version: number, by: 1 | -1): number | null {
  let index = rows.indexOf(version) + by;
  const isInside = (row: number): boolean => row >= 0 && row < rows.length;
  const isHeadOfRun = ({ isOpen, group }: Row): boolean => isOpen === true && group === undefined;
  while (isInside(index + by) && isHeadOfRun(rows.row(index))) index += by;
  return isInside(index) ? index : null;
}

export interface Filter {
  readonly only: Mark | "hit" | undefined;
  readonly hits: readonly number[];
}

/** Versions that pass a filter, in their order; null where nothing is filtered. */
export function versionsOf(timeline: Timeline, filter: Filter): number[] | null {
  const { only, hits } = filter;
  if (only === undefined) return null;
  if (only === "hit") return [...hits];
  const versions = new Set<number>();
  for (let index = 0; index < timeline.length; index += 1) {
    for (const version of passing(timeline.span(index), only)) versions.add(version);
  }
  return [...versions].sort((a, b) => a - b);
}

/** The ends of a span that pass: of a failed one where it failed, of a call both. */
function passing(span: Span, only: Mark): number[] {
  const { kind, from, to } = span;
  if (only === "tool" && kind !== "call") return [];
  if (only === "approval" && kind !== "approval") return [];
  const isKind = only === "tool" || only === "approval";
  const ends = isKind ? [from, to] : wordOf(span) === only ? [to ?? from] : [];
  return ends.filter((version) => version !== null);
}

/** How many of each type a run has, in the order of their first: 3 log, 1 reasoning. */
export function typesIn(
  row: Row,
  typeOf: (version: number) => string | null,
): [type: string, count: number][] {
  const counts = new Map<string, number>();
  for (let version = row.first; version <= row.last; version += 1) {
    const type = typeOf(version) ?? "event";
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts];
}

/** The folds that an address names; the usual ones where it names none. */
export function foldsIn(text: string | undefined, usual: readonly Fold[]): ReadonlySet<string> {
  return new Set(text === undefined ? usual : text.split(",").filter(Boolean));
}
