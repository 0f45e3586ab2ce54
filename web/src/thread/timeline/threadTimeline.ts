import type { Connection } from "../../api/stream";
import { type CallPlace, type Mark, markedAt, placeText, type Span } from "./span";
import type { Counts, TimelineIndex } from "./timelineIndex";

/** The spans of a thread: those that have settled in the order of their ends, then the open. */
export interface Timeline {
  readonly length: number;
  span(index: number): Span;
  /** Spans that begin or end at a version. */
  at(version: number): readonly Span[];
  /** The next or previous version with a mark, or null. */
  find(mark: Mark, from: number, by: 1 | -1): number | null;
  /** Version up to which events are known. */
  readonly loadedTo: number;
  /** Whether all events from before the thread was opened are read. */
  readonly isComplete: boolean;
  readonly connection: Connection;
  /** When the first and the last message were sent; all at one time where an import had none. */
  readonly startMs: number | null;
  readonly endMs: number | null;
}

/** A timeline as it was at a moment: the index behind it may have grown since. */
export class ThreadTimeline implements Timeline {
  readonly length: number;
  readonly loadedTo: number;
  readonly isComplete: boolean;
  readonly connection: Connection;
  readonly startMs: number | null;
  readonly endMs: number | null;
  private readonly settled: number;
  private readonly index: TimelineIndex;
  private readonly open: readonly Span[];
  private readonly openFrom = new Map<number, Span[]>();

  constructor(
    index: TimelineIndex,
    open: readonly Span[],
    connection: Connection,
    isComplete: boolean,
  ) {
    this.index = index;
    this.open = open;
    this.settled = index.length;
    this.length = index.length + open.length;
    this.loadedTo = index.loadedTo;
    this.startMs = index.firstMs;
    this.endMs = index.lastMs;
    this.connection = connection;
    this.isComplete = isComplete;
    for (const span of open) {
      if (span.from === null) continue;
      const others = this.openFrom.get(span.from);
      if (others === undefined) this.openFrom.set(span.from, [span]);
      else others.push(span);
    }
  }

  span(index: number): Span {
    return this.open[index - this.settled] ?? this.index.span(index);
  }

  at(version: number): readonly Span[] {
    return [...this.index.at(version, this.settled), ...(this.openFrom.get(version) ?? [])];
  }

  /** All attempts that a call is one of, in their order; none where nothing was tried again. */
  attempts(span: Span): readonly Span[] {
    const attempts = [span];
    for (let call: Span | null = span; call?.attempt != null;) {
      call = this.callAt(call.attempt);
      if (call !== null) attempts.unshift(call);
    }
    for (let call = this.attemptAfter(span); call !== null; call = this.attemptAfter(call)) {
      attempts.push(call);
    }
    return attempts.length > 1 ? attempts : [];
  }

  private callAt({ version, ordinal }: CallPlace): Span | null {
    const calls = this.at(version).filter(({ kind, from }) => kind === "call" && from === version);
    return calls.find((call) => call.ordinal === ordinal) ?? null;
  }

  private attemptAfter({ from, ordinal }: Span): Span | null {
    if (from === null) return null;
    const place = { version: from, ordinal };
    const isAfter = ({ attempt }: Span): boolean =>
      attempt !== null && placeText(attempt) === placeText(place);
    return this.index.after(place, this.settled) ?? this.open.find(isAfter) ?? null;
  }

  find(mark: Mark, from: number, by: 1 | -1): number | null {
    const open = new Set(this.open.map((span) => markedAt(span, mark)));
    const first = by < 0 ? Math.min(from - 1, this.loadedTo) : Math.max(from + 1, 1);
    for (let version = first; version >= 1 && version <= this.loadedTo; version += by) {
      if (this.index.isMarked(version, mark) || open.has(version)) return version;
    }
    return null;
  }

  /** Whether any two messages have different times: else theirs is that of an import. */
  get isTimed(): boolean {
    return this.startMs !== this.endMs;
  }

  /**
   * Milliseconds from the first message to the last that has a time, up to a version: the duration
   * that lists have, null where the clock did not go on.
   */
  elapsedMs(version: number): number | null {
    const last = this.isTimed ? this.timeAt(version, -1) : null;
    const first = last === null ? null : this.timeAt(1, 1);
    return first === null || last === null || last < first ? null : last - first;
  }

  /** When the first message from a version on was sent that has a time. */
  private timeAt(version: number, by: 1 | -1): number | null {
    for (let at = version; at >= 1 && at <= this.loadedTo; at += by) {
      const times = this.at(at).map((span) => (span.to === at ? span.endMs : span.startMs));
      const time = times.find((known) => known !== null);
      if (time !== undefined) return time;
    }
    return null;
  }

  /** The type of an event; null until it is read. */
  typeOf(version: number): string | null {
    return version <= this.loadedTo ? this.index.typeOf(version) : null;
  }

  /** Whether an event that is read may be of a type. */
  mayHave(type: string): boolean {
    return this.index.mayHave(type);
  }

  /** How many events have each type, in the order of their first. */
  types(): [type: string, events: number][] {
    const counts = new Map<string, number>();
    for (let version = 1; version <= this.loadedTo; version += 1) {
      const type = this.index.typeOf(version);
      if (type !== null) counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    return [...counts];
  }

  has(mark: Mark, version: number): boolean {
    return version <= this.loadedTo && this.index.isMarked(version, mark);
  }

  /** How many events have a mark. */
  countMarked(mark: Mark): number {
    let count = 0;
    for (let version = 1; version <= this.loadedTo; version += 1) {
      if (this.index.isMarked(version, mark)) count += 1;
      else if (
        this.openFrom.get(version)?.some((span) => markedAt(span, mark) === version) === true
      )
        count += 1;
    }
    return count;
  }

  /** The version whose calls an event has all its results of; else its own. */
  callerOf(version: number): number {
    return version <= this.loadedTo ? this.index.callerOf(version) : version;
  }

  /** Whether a person's approval is waited for. */
  get isWaiting(): boolean {
    return this.open.some(({ kind }) => kind === "approval");
  }

  /** Whether a call or request of an event is open. */
  isOpen(version: number): boolean {
    return this.openFrom.has(version);
  }

  /** How many calls begin or end at a version. */
  callsAt(version: number): number {
    const open = this.openFrom.get(version)?.filter(({ kind }) => kind === "call");
    return this.index.callsAt(version) + (open?.length ?? 0);
  }

  /** How often each tool is called, the most called first. */
  tools(): [name: string, calls: number][] {
    const counts = this.index.tools(this.settled);
    for (const { kind, name } of this.open) {
      if (kind === "call" && name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]);
  }

  /** What had happened just after a version. */
  counts(version: number): Counts {
    const counts = this.index.counts(version, this.settled);
    const calls = this.open.filter(({ kind, from }) => kind === "call" && (from ?? 0) <= version);
    return { ...counts, toolCalls: counts.toolCalls + calls.length };
  }
}

/** The version of a thread's last event of a type, as far as it is read; null where it has none. */
export function lastOf(timeline: ThreadTimeline, type: string): number | null {
  for (let version = timeline.loadedTo; version >= 1; version -= 1) {
    if (timeline.typeOf(version) === type) return version;
  }
  return null;
}
