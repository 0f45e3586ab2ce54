import { duration } from "../../../parts/format";
import type { Span, Timeline } from "../../timeline/timeline";
import type { Axis, Range } from "./axis";
import type { Drawing } from "../Canvas";
import { firstAfter, type Row, toneOf } from "./lanes";
import { ticksOf } from "./ticks";
import { visible } from "../../../parts/visible/visible";

/** Heights in pixels: of a row of bars, and of the times below them. */
export const ROW = 16;
export const TICKS = 16;

const NARROW = 3;
const LEGIBLE = 26;
const FACE = "10.5px system-ui, sans-serif";
const TICK_EVERY = 130;

const COLOURS: Readonly<Record<string, string>> = {
  call: "tool",
  model: "model",
  approval: "person",
  worker: "worker",
  input: "user",
  reply: "agent",
};

interface Chart {
  readonly timeline: Pick<Timeline, "span">;
  readonly rows: readonly Row[];
  readonly axis: Axis;
  readonly range: Range;
  readonly isTimed: boolean;
}

/** Draws what lies in the range: pauses, bars row by row, times. */
export function drawChart(drawing: Drawing, chart: Chart): void {
  drawing.context.font = FACE;
  drawing.context.textBaseline = "middle";
  drawTicks(drawing, chart);
  drawGaps(drawing, chart);
  drawing.context.textAlign = "left";
  for (const [index, row] of chart.rows.entries()) drawRow(drawing, chart, row, index * ROW);
}

/** What a span's bar says: the name of a tool, a worker's objective, else its kind. */
export function labelOf({ kind, name, hint }: Span): string {
  return visible((kind === "worker" ? (hint ?? name) : name) ?? kind);
}

function drawTicks({ context, width, height, colour }: Drawing, chart: Chart): void {
  const most = Math.max(1, Math.floor(width / TICK_EVERY));
  context.fillStyle = colour("line");
  context.fillRect(0, height - TICKS, width, 1);
  for (const { share, text } of ticksOf(chart.axis, chart.range, chart.isTimed, most)) {
    const place = share * width;
    context.fillStyle = colour("line");
    context.fillRect(Math.min(width - 1, Math.round(place)), 0, 1, height - TICKS + 4);
    context.fillStyle = colour("faint");
    const room = context.measureText(text).width / 2;
    context.textAlign = place < room ? "left" : place > width - room ? "right" : "center";
    context.fillText(text, place, height - TICKS / 2 + 1);
  }
}

function drawGaps({ context, width, height, colour }: Drawing, { axis, range }: Chart): void {
  const scale = width / (range.to - range.from);
  for (const gap of axis.gaps) {
    const [from, to] = [(gap.start - range.from) * scale, (gap.end - range.from) * scale];
    if (to < 0 || from > width || to - from < NARROW) continue;
    context.fillStyle = colour("raised");
    context.fillRect(from, 0, to - from, height - TICKS);
    if (to - from < LEGIBLE) continue;
    context.strokeStyle = colour("faint");
    context.setLineDash([2, 3]);
    context.strokeRect(from + 0.5, -1, to - from - 1, height - TICKS + 2);
    context.setLineDash([]);
    const text = duration(gap.to - gap.from);
    if (context.measureText(text).width > to - from - 4) continue;
    context.fillStyle = colour("soft");
    context.textAlign = "center";
    context.fillText(text, (from + to) / 2, ROW / 2);
  }
}

function drawRow(drawing: Drawing, { timeline, range }: Chart, row: Row, top: number): void {
  const { context, colour, width } = drawing;
  const scale = width / (range.to - range.from);
  const worst = new Int32Array(Math.ceil(width) + 1).fill(-1); // narrow bars share a pixel
  const first = firstAfter(row.reach, range.from - NARROW / scale);
  const beyond = firstAfter(row.starts, range.to);
  let crowd = null as Crowd | null;
  for (let index = first; index < beyond; index += 1) {
    const from = ((row.starts[index] ?? 0) - range.from) * scale;
    const to = ((row.ends[index] ?? 0) - range.from) * scale;
    if (to < -NARROW) continue;
    if (to - from >= NARROW) {
      const span = timeline.span(row.spans[index] ?? 0);
      const start = Math.max(from, -NARROW);
      if (crowd !== null && start < crowd.to) {
        crowd = { ...crowd, to: Math.max(crowd.to, to), count: crowd.count + 1 };
      } else {
        drawCrowd(drawing, crowd, top);
        crowd = { span, from: start, to, count: 1 };
      }
      continue;
    }
    const pixel = Math.max(0, Math.min(worst.length - 1, Math.round(from)));
    const known = worst[pixel] ?? -1;
    if (known < 0 || (row.tones[index] ?? 0) > (row.tones[known] ?? 0)) worst[pixel] = index;
  }
  drawCrowd(drawing, crowd, top);
  for (const [pixel, index] of worst.entries()) {
    if (index < 0) continue;
    const isCalm = row.lane !== "messages" && (row.tones[index] ?? 0) === 0;
    context.globalAlpha = isCalm ? 0.6 : 1;
    context.fillStyle = colour(colourOf(timeline.span(row.spans[index] ?? 0)));
    context.fillRect(Math.min(pixel - 1, width - NARROW), top + 2, NARROW, ROW - 4);
  }
  context.globalAlpha = 1;
}

/** Bars of a row that lie over one another, from the first to the last. */
interface Crowd {
  readonly span: Span;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

function drawCrowd(drawing: Drawing, crowd: Crowd | null, top: number): void {
  if (crowd === null) return;
  const { span, from, to, count } = crowd;
  drawBar(drawing, span, {
    from,
    to,
    top,
    label: count === 1 ? labelOf(span) : `${count} at once`,
  });
}

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly top: number;
  readonly label: string;
}

function drawBar(drawing: Drawing, span: Span, { from, to, top, label }: Bar): void {
  const { context, colour, width } = drawing;
  const end = Math.min(to, width + NARROW);
  const isOpen = toneOf(span) === "open";
  context.fillStyle = colour(colourOf(span));
  context.globalAlpha = isOpen ? 0.12 : 0.25;
  context.fillRect(from, top + 1, end - from, ROW - 2);
  context.globalAlpha = 1;
  context.fillRect(from, top + 1, 2, ROW - 2);
  context.fillRect(from, top + ROW - 2, end - from, 1);
  const room = end - Math.max(from, 0) - 8;
  if (room < LEGIBLE) return;
  context.fillStyle = colour("text");
  context.fillText(fitted(context, label, room), Math.max(from, 0) + 5, top + ROW / 2);
}

/** The beginning of a text that fits, about. */
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  const { width } = context.measureText(text);
  if (width <= room) return text;
  return `${text.slice(0, Math.max(1, Math.floor((room / width) * text.length) - 1))}…`;
}

function colourOf(span: Span): string {
  const tone = toneOf(span);
  if (tone === "failed") return "bad";
  return tone === "suspected" ? "warn" : (COLOURS[span.kind] ?? "faint");
}
