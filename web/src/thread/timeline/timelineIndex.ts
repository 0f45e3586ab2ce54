/** The view `timeline` of a thread, kept in columns: 100,000 spans take a few megabytes. */
import { endsOf } from "../../parts/kinds";
import { Chains, Texts } from "./columns";
import {
  type Attempt,
  type CallPlace,
  type Mark,
  markedAt,
  orNull,
  placeText,
  type Span,
  spanOf,
  sum,
  TIMELINE_MARKS,
  type TimelineItem,
} from "./span";

/** Counts of a part of a thread; null where nothing was reported. */
export interface Counts {
  readonly steps: number;
  readonly toolCalls: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** How many of these costs are computed. */
  readonly computedCalls: number;
}

/** Settled spans, which only grow in number. Numbers that are missing are NaN in their column. */
export class TimelineIndex {
  private readonly names = new Texts<string | null>();
  private readonly rules = new Texts<readonly string[]>();
  private readonly kind: number[] = [];
  private readonly name: number[] = [];
  private readonly outcome: number[] = [];
  private readonly suspected: number[] = [];
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly startMs: number[] = [];
  private readonly endMs: number[] = [];
  private readonly costUsd: number[] = [];
  private readonly prices: number[] = [];
  private readonly tokens: number[] = [];
  private readonly hint: (string | null)[] = [];
  private readonly ordinal: number[] = [];
  private readonly threads: (string | null)[] = [];
  private readonly elapsedMs: number[] = [];
  private readonly attempt: (Attempt | null)[] = [];
  private readonly again = new Map<string, number>();
  private readonly beginning = new Chains();
  private readonly ending = new Chains();
  private readonly types: number[] = [];
  private readonly marks: number[] = [];
  private readonly calls: number[] = [];
  private readonly steps: number[] = [];
  /** By a version with results, the first that called for them; NaN where nothing did for one. */
  private readonly callers = new Map<number, number>();
  /** Version of the latest event known. */
  loadedTo = 0;
  firstMs: number | null = null;
  lastMs: number | null = null;

  get length(): number {
    return this.kind.length;
  }

  /** Adds an item that will not change. */
  add(item: TimelineItem): void {
    const span = spanOf(item);
    const index = this.kind.push(this.text(span.kind)) - 1;
    this.name.push(this.text(span.name));
    this.outcome.push(this.text(span.outcome));
    this.suspected.push(this.rules.put(span.suspected.join(), span.suspected));
    this.from.push(span.from ?? NaN);
    this.to.push(span.to ?? NaN);
    this.startMs.push(span.startMs ?? NaN);
    this.endMs.push(span.endMs ?? NaN);
    this.costUsd.push(span.costUsd ?? NaN);
    this.prices.push(this.text(span.prices));
    this.tokens.push(span.tokens ?? NaN);
    this.hint.push(span.hint);
    this.ordinal.push(span.ordinal);
    this.threads.push(span.threadId);
    this.elapsedMs.push(span.elapsedMs ?? NaN);
    this.attempt.push(span.attempt);
    if (span.attempt !== null) this.again.set(placeText(span.attempt), index);
    if (span.from !== null) this.beginning.add(span.from, index);
    if (span.to !== null && span.to !== span.from) this.ending.add(span.to, index);
    TIMELINE_MARKS.forEach((mark, bit) => {
      const version = markedAt(span, mark);
      if (version === null) return;
      while (this.marks.length <= version) this.marks.push(0);
      this.marks[version] = (this.marks[version] ?? 0) | (1 << bit);
    });
    if (span.kind === "call") {
      if (span.to !== null) {
        const first = this.callers.get(span.to) ?? Infinity;
        this.callers.set(span.to, Math.min(first, span.from ?? NaN));
      }
      for (const version of [span.from, span.to]) {
        if (version !== null) this.calls[version] = this.callsAt(version) + 1;
      }
    }
    this.see(span, item.step);
  }

  /** How many settled calls begin or end at a version. */
  callsAt(version: number): number {
    while (this.calls.length <= version) this.calls.push(0);
    return this.calls[version] ?? 0;
  }

  /** The version whose calls an event has the results of; its own where it has other than those. */
  callerOf(version: number): number {
    return this.callers.get(version) || version;
  }

  /** Whether a settled span has a mark at a version. */
  isMarked(version: number, mark: Mark): boolean {
    return ((this.marks[version] ?? 0) & (1 << TIMELINE_MARKS.indexOf(mark))) !== 0;
  }

  /** Records the events of a span, settled or not. */
  see(span: Span, step: number): void {
    const { kind, from, to, startMs, endMs } = span;
    const ends = endsOf(kind);
    const { first, last } = ends ?? { first: kind, last: kind };
    for (const [version, type] of [[from, first] as const, [to, last] as const]) {
      if (version === null) continue;
      this.loadedTo = Math.max(this.loadedTo, version);
      // an error ends a model call and is an event of its own: its own type holds
      if (kind !== "gap" && (ends === null || this.types[version] === undefined)) {
        while (this.types.length < version) this.types.push(this.text(null));
        this.types[version] = this.text(type);
      }
    }
    if (from !== null && kind !== "gap") this.reach(from, step);
    if (to !== null && isStep(span)) this.reach(to, (this.steps.at(-1) ?? 0) + 1);
    for (const ms of [startMs, endMs]) {
      if (ms === null) continue;
      this.firstMs = Math.min(this.firstMs ?? ms, ms);
      this.lastMs = Math.max(this.lastMs ?? ms, ms);
    }
  }

  span(index: number): Span {
    return {
      kind: this.names.get(this.kind[index] ?? 0) ?? "",
      name: this.names.get(this.name[index] ?? 0),
      from: orNull(this.from[index]),
      to: orNull(this.to[index]),
      startMs: orNull(this.startMs[index]),
      endMs: orNull(this.endMs[index]),
      outcome: this.names.get(this.outcome[index] ?? 0),
      suspected: this.rules.get(this.suspected[index] ?? 0),
      hint: this.hint[index] ?? null,
      costUsd: orNull(this.costUsd[index]),
      isComputed: this.isComputed(index),
      prices: this.names.get(this.prices[index] ?? 0),
      tokens: orNull(this.tokens[index]),
      ordinal: this.ordinal[index] ?? 0,
      threadId: this.threads[index] ?? null,
      elapsedMs: orNull(this.elapsedMs[index]),
      attempt: this.attempt[index] ?? null,
    };
  }

  /** Of the first `end` spans the call that tries again what the call at a place tried, if any. */
  after(place: CallPlace, end: number): Span | null {
    const index = this.again.get(placeText(place)) ?? end;
    return index < end ? this.span(index) : null;
  }

  /** The first `end` spans of those that begin or end at a version. */
  at(version: number, end: number): Span[] {
    const indexes = [...this.beginning.of(version, end), ...this.ending.of(version, end)];
    return indexes.map((index) => this.span(index));
  }

  /** How often each tool is called by the first `end` spans. */
  tools(end: number): Map<string, number> {
    const call = this.text("call");
    const counts = new Map<number, number>();
    for (let index = 0; index < end; index += 1) {
      const name = this.name[index] ?? 0;
      if (this.kind[index] === call) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return new Map([...counts].map(([name, count]) => [this.names.get(name) ?? "", count]));
  }

  /** The type of an event; null until it is read. */
  typeOf(version: number): string | null {
    return this.names.get(this.types[version] ?? this.text(null));
  }

  /** Whether an event may be of a type; not before one was read. */
  mayHave(type: string): boolean {
    return this.names.has(`=${type}`);
  }

  /** Counts of the first `end` spans, up to a version. */
  counts(version: number, end: number): Counts {
    const call = this.text("call");
    let toolCalls = 0;
    let tokens = NaN;
    let costUsd = NaN;
    let computedCalls = 0;
    for (let index = 0; index < end; index += 1) {
      const to = this.to[index] ?? NaN;
      const from = this.from[index] ?? NaN;
      if (this.kind[index] === call && (Number.isNaN(from) ? to : from) <= version) toolCalls += 1;
      if (to > version) continue;
      tokens = sum(tokens, this.tokens[index] ?? NaN);
      costUsd = sum(costUsd, this.costUsd[index] ?? NaN);
      if (this.isComputed(index)) computedCalls += 1;
    }
    let steps = 0;
    for (let at = 0; at <= version; at += 1) steps = Math.max(steps, this.steps[at] ?? 0);
    return { steps, toolCalls, tokens: orNull(tokens), costUsd: orNull(costUsd), computedCalls };
  }

  private isComputed(index: number): boolean {
    return this.names.get(this.prices[index] ?? 0) !== null;
  }

  /** Records the number of steps up to a version. */
  private reach(version: number, step: number): void {
    while (this.steps.length <= version) this.steps.push(this.steps.at(-1) ?? 0);
    this.steps[version] = Math.max(this.steps[version] ?? 0, step);
  }

  private text(value: string | null): number {
    return this.names.put(value === null ? "" : `=${value}`, value);
  }
}

/** Whether the end of a span counts as a step, as the view agent-state has it. */
function isStep({ kind, outcome }: Span): boolean {
  return kind === "call" || kind === "worker" || (kind === "approval" && outcome === "granted");
}
