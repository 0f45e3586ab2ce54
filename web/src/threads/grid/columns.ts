import { judgementText } from "../../thread/remarks/texts";
import { ago, cost, costNote, count, duration, time } from "../../parts/format";
import type { Summary } from "../standing";

export interface Column {
  readonly id: string;
  readonly name: string;
  /** Width in pixels; that of the goal is the least one. */
  readonly width: number;
  /** Key to sort by; null where the API has no order of it. */
  readonly sort: string | null;
  readonly isNumber?: boolean;
  /** Text of the badge that is shown where the figure is not 0. */
  readonly tone?: "bad" | "told" | "warn";
  /** Class of the badge by the thread, where it is not always the same. */
  readonly toneOf?: (thread: Summary) => string;
  /** Explains a short name. */
  readonly title?: string;
  readonly text: (thread: Summary, now: number) => string;
  /** Explains a figure. */
  readonly note?: (thread: Summary) => string | undefined;
}

function text(id: keyof Summary, name: string, width: number, read: Column["text"]): Column {
  return { id, name, width, sort: id, text: read };
}

function figure(
  id: keyof Summary,
  name: string,
  width: number,
  more: Partial<Column> = {},
): Column {
  const read = (thread: Summary): string => count(thread[id] as number | null);
  return { id, name, width, sort: id, isNumber: true, text: read, ...more };
}

/** All columns but those of metadata, in the order in which they stand. */
export const COLUMNS: readonly Column[] = [
  text("threadId", "Thread", 150, (thread) => thread.threadId),
  text("status", "Status", 118, (thread) => thread.status),
  text("goal", "Goal", 164, (thread) => thread.goal ?? "–"),
  { ...text("metadata", "Metadata", 120, metadataText), sort: null },
  {
    ...figure("score", "Score", 66, { text: ({ score }) => scoreText(score) }),
    toneOf: ({ verdict }) => (verdict === null ? "" : verdict === "failed" ? "bad" : "ok"),
  },
  { ...text("judgements", "Judged", 150, judgementsText), sort: null },
  { ...text("labels", "Labels", 130, ({ labels }) => labels.join(", ") || "–"), sort: null },
  figure("loops", "Loops", 62, {
    title: "Calls that repeat earlier ones",
    tone: "warn",
    note: ({ marks }) => loopNote(marks),
  }),
  figure("messages", "Messages", 86),
  figure("inputs", "Inputs", 66),
  figure("replies", "Replies", 72),
  figure("steps", "Steps", 58),
  figure("toolCalls", "Calls", 56, { title: "Tools called" }),
  figure("failures", "Failed", 62, { title: "What failed on record", tone: "bad" }),
  figure("told", "Told", 54, {
    title: "Results that only say in words that they failed",
    tone: "told",
  }),
  figure("suspected", "Suspected", 88, { title: "What only a rule suspects", tone: "warn" }),
  figure("runtimeErrors", "Errors", 62, { title: "Runtime errors, of what failed" }),
  figure("anomalies", "Anomalies", 84, { title: "Broken rules", tone: "warn" }),
  figure("approvalsAsked", "Approvals", 88, { title: "Approvals asked for" }),
  figure("approvalsPending", "Pending", 80, { title: "Approvals pending", tone: "warn" }),
  figure("workers", "Workers", 78),
  figure("modelCalls", "Model calls", 96),
  figure("inputTokens", "Tokens in", 96),
  figure("outputTokens", "Tokens out", 96),
  figure("totalTokens", "Tokens", 98),
  figure("costUsd", "Cost", 80, {
    text: ({ costUsd, computedCalls }) => cost(costUsd, computedCalls),
    note: ({ computedCalls, unpricedCalls }) => costNote(computedCalls, unpricedCalls),
  }),
  figure("durationMs", "Duration", 84, { text: (thread) => duration(thread.durationMs) }),
  { ...text("tools", "Tools", 180, (thread) => thread.tools.join(", ")), sort: null },
  text("parent", "Parent", 150, (thread) => thread.parent ?? "–"),
  text("policy", "Policy", 70, (thread) => thread.policy),
  figure("version", "Version", 76),
  {
    ...text("updatedAt", "Updated", 92, (thread, now) => ago(thread.updatedAt, now)),
    sort: "position",
    isNumber: true,
    title: "When its last event was recorded",
  },
  text("startedAt", "Started", 176, (thread) => time(thread.startedAt)),
  text("lastSentAt", "Last sent", 176, (thread) => time(thread.lastSentAt)),
];

export const USUAL: readonly string[] = [
  "threadId",
  "status",
  "goal",
  "metadata",
  "score",
  "loops",
  "steps",
  "toolCalls",
  "failures",
  "told",
  "suspected",
  "anomalies",
  "totalTokens",
  "costUsd",
  "durationMs",
  "updatedAt",
];

type Order = readonly [sort: string, name: string];

const ORDERS: readonly Order[] = [
  ["-position", "Last moved first"],
  ["-failures", "Most failures first"],
  ["score", "Lowest score first"],
  ["-loops", "Most loops first"],
  ["-anomalies", "Most anomalies first"],
  ["-costUsd", "Dearest first"],
  ["-durationMs", "Longest first"],
  ["threadId", "By id"],
];

export const USUAL_SORT = "-position";

const METADATA = "metadata.";

/** Orders that are offered where there are no headers to press. */
export function ordersOf(keys: readonly string[]): readonly Order[] {
  return [...ORDERS, ...keys.map((key): Order => [METADATA + key, `By ${key}`])];
}

export function metadataColumn(key: string): Column {
  return {
    id: METADATA + key,
    name: key,
    width: 110,
    sort: METADATA + key,
    title: `Metadata ${key}`,
    text: ({ metadata }) => valueText(metadata[key]),
  };
}

/** The columns to show, of ids in an address: unknown ones are left out, the thread is first. */
export function chosenColumns(ids: readonly string[] = USUAL): Column[] {
  const known = COLUMNS.filter(({ id }) => id === "threadId" || ids.includes(id));
  const keys = ids.filter((id) => id.startsWith(METADATA)).map((id) => id.slice(METADATA.length));
  return [...known, ...keys.map(metadataColumn)];
}

/** Columns without that of goals, where no thread has one: metadata tells these apart. */
export function withoutEmptyGoals(
  columns: readonly Column[],
  rows: readonly Pick<Summary, "goal">[],
): readonly Column[] {
  const hasGoals = rows.length === 0 || rows.some(({ goal }) => goal !== null);
  return hasGoals ? columns : columns.filter(({ id }) => id !== "goal");
}

/** Adds a column or takes it away; undefined where the usual ones are left. */
export function toggleColumn(id: string, ids: readonly string[] = USUAL): string[] | undefined {
  const next = ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id];
  const isUsual = next.length === USUAL.length && USUAL.every((usual) => next.includes(usual));
  return isUsual ? undefined : next;
}

/** How the list is sorted by the column: null where it is by another. */
export function direction(column: Column, sort: string): "ascending" | "descending" | null {
  if (column.sort === null) return null;
  if (sort === column.sort) return "ascending";
  return sort === `-${column.sort}` ? "descending" : null;
}

/** The order after the header is pressed: figures begin with the largest, and then it turns. */
export function nextSort(column: Column, sort: string): string | undefined {
  const key = column.sort ?? "";
  const now = direction(column, sort);
  const isDown = now === null ? column.isNumber === true : now === "ascending";
  const next = isDown ? `-${key}` : key;
  return next === USUAL_SORT ? undefined : next;
}

/** Template of the grid and its least width in pixels; the box to tick comes first. */
export function layout(columns: readonly Column[]): { template: string; width: number } {
  const tracks = columns.map(({ id, width }) => {
    const share = SHARES[id];
    return share === undefined ? `${width}px` : `minmax(${width}px, ${share}fr)`;
  });
  const last = columns.some(({ id }) => id in SHARES) ? [] : ["1fr"];
  const width = columns.reduce((sum, column) => sum + column.width, TICK_WIDTH);
  return { template: [`${TICK_WIDTH}px`, ...tracks, ...last].join(" "), width };
}

const TICK_WIDTH = 34;
/** Columns that share the remaining width, with their shares. */
const SHARES: Record<string, number> = { goal: 3, metadata: 1 };

export function metadataText({ metadata }: Summary): string {
  const pairs = Object.entries(metadata).map(([key, value]) => `${key} ${valueText(value)}`);
  return pairs.length === 0 ? "–" : pairs.join(", ");
}

function judgementsText({ judgements }: Summary): string {
  const texts = judgements.map((judgement) => {
    const by = judgement.by === null ? "" : ` by ${judgement.by}`;
    return judgementText(judgement) + by;
  });
  return texts.length === 0 ? "–" : texts.join("; ");
}

function scoreText(score: number | null): string {
  return score === null ? "–" : String(Math.round(score * 1000) / 1000);
}

const REPEATS = ["repeated_in_a_row", "repeated_often", "loop"];

function loopNote(marks: Summary["marks"]): string | undefined {
  const repeats = marks.filter(({ rule }) => REPEATS.includes(rule));
  const tools = new Map(repeats.map(({ command, tool, calls }) => [command ?? tool, calls]));
  return repeats.length === 0
    ? undefined
    : [...tools].map(([tool, calls]) => `${tool}: ${calls} repeated calls`).join(", ");
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
