import { duration } from "../../../parts/format";
import type { Span, Timeline } from "../../timeline/timeline";
import type { Axis, Range } from "./axis";
import type { Drawing } from "../Canvas";
import { labelOf } from "./labels";
import { type Row, toneOf } from "./lanes";
import { NARROW, piecesOf } from "./pieces";
import { ticksOf } from "./ticks";

const LEGIBLE = 26;
/** The least room for a label beside its bar. */
const BESIDE = 48;
/** Thickness of the line under a bar on the critical path. */
const CRITICAL = 3;
const FACE = "10.5px system-ui, sans-serif";
const TICK_EVERY = 100;

const COLOURS: Readonly<Record<string, string>> = {
  call: "tool",
  model: "model",
  approval: "person",
  worker: "worker",
  input: "user",
  reply: "agent",
};

/** The part of the axis that is drawn. */
export interface Scale {
  readonly axis: Axis;
  readonly range: Range;
  readonly isTimed: boolean;
}

export interface Bars {
  readonly timeline: Pick<Timeline, "span">;
  readonly rows: readonly Row[];
  /** Spans on the critical path. */
  readonly critical: ReadonlySet<number>;
  /** Versions whose calls are told apart by their hints. */
  readonly alike: ReadonlySet<number>;
}

/** Draws what lies in the range: round times, pauses, bars row by row. */
export function drawChart(drawing: Drawing, scale: Scale, bars: Bars): void {
  prepare(drawing);
  for (const { x } of ticksIn(drawing, scale)) drawTick(drawing, x);
  drawGaps(drawing, scale);
  drawing.context.textAlign = "left";
  for (const row of bars.rows) drawRow(drawing, scale, bars, row);
}

/** Sets the face that all texts of the chart have. */
export function prepare({ context }: Drawing): void {
  context.font = FACE;
  context.textBaseline = "middle";
}

/** The ticks in sight, with their places in pixels. */
export function ticksIn({ width }: Drawing, { axis, range, isTimed }: Scale) {
  const most = Math.max(1, Math.floor(width / TICK_EVERY));
  return ticksOf(axis, range, isTimed, most).map(({ share, text }) => {
    return { x: share * width, text };
  });
}

/** Draws the line of a tick. */
export function drawTick({ context, width, height, colour }: Drawing, x: number): void {
  context.fillStyle = colour("line");
  context.fillRect(Math.min(width - 1, Math.round(x)), 0, 1, height);
}

/** Draws the pauses that are cut, with their length. */
function drawGaps({ context, width, height, colour }: Drawing, { axis, range }: Scale): void {
  const scale = width / (range.to - range.from);
  for (const gap of axis.gaps) {
    const [from, to] = [(gap.start - range.from) * scale, (gap.end - range.from) * scale];
    if (to < 0 || from > width || to - from < NARROW) continue;
    context.fillStyle = colour("raised");
    context.fillRect(from, 0, to - from, height);
    if (to - from < LEGIBLE) continue;
    context.strokeStyle = colour("faint");
    context.setLineDash([2, 3]);
    context.strokeRect(from + 0.5, -1, to - from - 1, height + 2);
    context.setLineDash([]);
    const text = duration(gap.to - gap.from);
    if (context.measureText(text).width > to - from - 4) continue;
    context.fillStyle = colour("soft");
    context.textAlign = "center";
    context.fillText(text, (from + to) / 2, 8);
  }
}

function drawRow(drawing: Drawing, { range }: Scale, bars: Bars, row: Row): void {
  const pieces = piecesOf(row, range, drawing.width);
  let reach = -Infinity;
  for (const [position, { index, from, to, count }] of pieces.entries()) {
    const span = bars.timeline.span(index);
    if (to - from < NARROW) drawMark(drawing, row, span, from);
    else drawBar(drawing, row, { span, from, to, isCritical: bars.critical.has(index) });
    const isCovered = to < reach;
    reach = Math.max(reach, to);
    if (row.lane === "messages" || isCovered) continue;
    const label = count === 1 ? labelOf(span, bars.alike) : `${count} at once`;
    const free = (pieces[position + 1]?.from ?? drawing.width) - to;
    drawLabel(drawing, row, { label, from, to, free });
  }
}

function drawMark({ context, colour, width }: Drawing, row: Row, span: Span, from: number): void {
  const isCalm = row.lane !== "messages" && toneOf(span) === "plain";
  context.globalAlpha = isCalm ? 0.6 : 1;
  context.fillStyle = colour(colourOf(span));
  const x = Math.max(0, Math.min(Math.round(from) - 1, width - NARROW));
  context.fillRect(x, row.top + 2, NARROW, row.height - 4);
  context.globalAlpha = 1;
}

interface Bar {
  readonly span: Span;
  readonly from: number;
  readonly to: number;
  readonly isCritical: boolean;
}

function drawBar(drawing: Drawing, { top, height }: Row, bar: Bar): void {
  const { context, colour, width } = drawing;
  const { span, from, isCritical } = bar;
  const length = Math.min(bar.to, width + NARROW) - from;
  context.fillStyle = colour(colourOf(span));
  context.globalAlpha = toneOf(span) === "open" ? 0.12 : 0.25;
  context.fillRect(from, top + 1, length, height - 2);
  context.globalAlpha = 1;
  context.fillRect(from, top + 1, 2, height - 2);
  const line = isCritical ? CRITICAL : 1;
  context.fillRect(from, top + height - 1 - line, length, line);
}

interface Label {
  readonly label: string;
  /** The bar, and the room to the right of it. */
  readonly from: number;
  readonly to: number;
  readonly free: number;
}

/** Writes a label into its bar; where it does not fit, beside it; else as much as fits. */
function drawLabel(drawing: Drawing, row: Row, { label, from, to, free }: Label): void {
  const { context, colour, width } = drawing;
  const start = Math.max(from, 0) + 5;
  const within = Math.min(to, width) - start - 3;
  if (within < LEGIBLE && free < BESIDE) return;
  context.fillStyle = colour("text");
  const middle = row.top + row.height / 2;
  const isWithin = free < BESIDE || context.measureText(label).width <= within;
  const [x, room] = isWithin ? [start, within] : [to + 4, free - 8];
  context.fillText(fit(context, label, room), x, middle);
}

/** The beginning of a text that fits, about. */
function fit(context: CanvasRenderingContext2D, text: string, room: number): string {
  const { width } = context.measureText(text);
  if (width <= room) return text;
  return `${text.slice(0, Math.max(1, Math.floor((room / width) * text.length) - 1))}…`;
}

function colourOf(span: Span): string {
  const tone = toneOf(span);
  if (tone === "failed") return "bad";
  if (tone === "told") return "told";
  return tone === "suspected" ? "warn" : (COLOURS[span.kind] ?? "faint");
}
