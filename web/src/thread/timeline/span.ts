/** Spans of a thread, as the items of the view `timeline` have them. */

/** Versions; a message that neither asks nor answers is a span that ends where it begins. */
export interface Span {
  readonly kind: string;
  readonly name: string | null;
  /** Null where nothing asked for it. */
  readonly from: number | null;
  /** Null where it is open or was never answered. */
  readonly to: number | null;
  /** Milliseconds since the epoch by the producer's clock; facts have none of it. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly outcome: string | null;
  readonly suspected: readonly string[];
  readonly hint: string | null;
  readonly costUsd: number | null;
  readonly isComputed: boolean;
  /** The list that the cost was computed by; null where it was reported. */
  readonly prices: string | null;
  readonly tokens: number | null;
  /** Which call of its message it began with, from 0. */
  readonly ordinal: number;
  /** The thread of a worker, where it has one. */
  readonly threadId: string | null;
  /** Null where nothing was measured. */
  readonly elapsedMs: number | null;
  readonly attempt: Attempt | null;
}

/** Which attempt a call is, and where the call of the attempt before it is. */
export interface Attempt {
  readonly number: number;
  readonly version: number;
  readonly ordinal: number;
}

/** What is known of a failure: an outcome on record, words that tell of one, or a rule's doubt. */
export const WORDS = ["failed", "told", "suspected"] as const;
export type Word = (typeof WORDS)[number];

export const TIMELINE_MARKS = [...WORDS, "tool", "approval"] as const;
export type Mark = (typeof TIMELINE_MARKS)[number];

/** An item of the view, as far as the page uses it. */
export interface TimelineItem {
  readonly kind: string;
  readonly version: number | null;
  readonly endVersion?: number | null;
  readonly startedAt: string | null;
  readonly endedAt?: string | null;
  readonly name?: string | null;
  readonly outcome?: string | null;
  readonly suspected?: readonly string[];
  readonly hint?: string | null;
  readonly ordinal?: number;
  readonly threadId?: string | null;
  readonly elapsedMs?: number | null;
  readonly step: number;
  readonly costUsd?: number | null;
  /** The list that the cost was computed by. */
  readonly prices?: string | null;
  readonly totalTokens?: number | null;
  readonly inputTokens?: number | null;
  readonly outputTokens?: number | null;
  readonly attempt?: Attempt | null;
}

const NONE: readonly string[] = [];

/** Where a span has a mark: where it failed, was called or was asked for. */
export function markedAt(span: Span, mark: Mark): number | null {
  if (mark !== "tool" && mark !== "approval") {
    return wordOf(span) === mark ? (span.to ?? span.from) : null;
  }
  const kind = mark === "tool" ? "call" : "approval";
  return span.kind === kind ? (span.from ?? span.to) : null;
}

/** The one word for a span, as the service counts; of a failed model call its error has it. */
export function wordOf({ kind, outcome, suspected }: Span): Word | null {
  if (kind === "exit") return outcome === "error" ? "failed" : null;
  if (outcome === "failed") return kind === "model" ? null : "failed";
  if (outcome === "told") return "told";
  return suspected.length > 0 ? "suspected" : null;
}

/** A word and why, for people: `told (error text)`, `suspected: slow`. */
export function doubtOf(span: Span): string {
  const word = wordOf(span);
  const rules = rulesOf(span);
  if (word === "told") return `told to have failed${rules === "" ? "" : ` (${rules})`}`;
  return rules === "" ? "" : `suspected: ${rules}`;
}

/** The rules of suspicion that a span meets, in words: repeated in a row, slow. */
function rulesOf({ suspected }: Span): string {
  return suspected.join(", ").replaceAll("_", " ");
}

/** Where a call is: the version of its message, and its number there. */
export type CallPlace = Pick<Attempt, "version" | "ordinal">;

export function placeText({ version, ordinal }: CallPlace): string {
  return `${version}.${ordinal}`;
}

/** The span that an item of the view describes. */
export function spanOf(item: TimelineItem): Span {
  const isPoint = item.endVersion === undefined;
  // facts have the log's clock, which may be years from the producer's
  const startMs = item.kind.startsWith("thread.") ? null : milliseconds(item.startedAt);
  return {
    kind: item.kind,
    name: item.name ?? null,
    from: item.version,
    to: isPoint ? item.version : (item.endVersion ?? null),
    startMs,
    endMs: isPoint ? startMs : milliseconds(item.endedAt ?? null),
    outcome: item.outcome ?? null,
    suspected: item.suspected === undefined || item.suspected.length === 0 ? NONE : item.suspected,
    hint: item.hint ?? null,
    costUsd: item.costUsd ?? null,
    isComputed: typeof item.prices === "string",
    prices: item.prices ?? null,
    tokens: item.totalTokens ?? orNull(sum(item.inputTokens ?? NaN, item.outputTokens ?? NaN)),
    ordinal: item.ordinal ?? 0,
    threadId: item.threadId ?? null,
    elapsedMs: item.elapsedMs ?? null,
    attempt: item.attempt ?? null,
  };
}

/** Adds two counts; NaN is a missing one. */
export function sum(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : a + b;
}

export function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

function milliseconds(iso: string | null): number | null {
  return iso === null ? null : orNull(Date.parse(iso));
}
