import type { Drawing } from "../Canvas";
import { drawTick, prepare, type Scale, ticksIn } from "./chart";
import { firstAfter } from "./lanes";
import type { Spending } from "./spending";

/** Heights in pixels: of what was spent, and of the times below it. */
export const SPENDING = 28;
export const TICKS = 16;

/** Draws what was spent, tokens of each call as a column and the cost so far as a line; and times. */
export function drawFoot(drawing: Drawing, scale: Scale, spending: Spending | null): void {
  const { context, width, height, colour } = drawing;
  prepare(drawing);
  const ticks = ticksIn(drawing, scale);
  for (const { x } of ticks) drawTick({ ...drawing, height: height - TICKS + 4 }, x);
  if (spending !== null) drawSpending(drawing, scale, spending);
  context.fillStyle = colour("line");
  context.fillRect(0, height - TICKS, width, 1);
  context.fillStyle = colour("faint");
  for (const { x, text } of ticks) {
    const room = context.measureText(text).width / 2;
    context.textAlign = x < room ? "left" : x > width - room ? "right" : "center";
    context.fillText(text, x, height - TICKS / 2 + 1);
  }
}

function drawSpending(
  { context, width, colour }: Drawing,
  { range }: Scale,
  spent: Spending,
): void {
  const { units, tokens, costs, mostTokens, wholeCost } = spent;
  const scale = width / (range.to - range.from);
  const first = firstAfter(units, range.from) - 1;
  const beyond = firstAfter(units, range.to);
  const columns = new Float64Array(Math.ceil(width) + 1);
  const costHeight = (index: number): number =>
    SPENDING - 3 - ((costs[index] ?? 0) / wholeCost) * (SPENDING - 6);
  context.beginPath();
  context.moveTo(0, wholeCost === 0 ? 0 : costHeight(first));
  for (let index = Math.max(0, first); index < beyond; index += 1) {
    const x = ((units[index] ?? 0) - range.from) * scale;
    if (x >= 0) {
      const pixel = Math.min(columns.length - 1, Math.round(x));
      columns[pixel] = Math.max(columns[pixel] ?? 0, tokens[index] ?? 0);
    }
    context.lineTo(x, costHeight(index - 1));
    context.lineTo(x, costHeight(index));
  }
  context.lineTo(width, costHeight(beyond - 1));
  context.fillStyle = colour("model");
  context.globalAlpha = 0.45;
  for (const [pixel, most] of columns.entries()) {
    const length = mostTokens === 0 ? 0 : (most / mostTokens) * (SPENDING - 4);
    if (length > 0) context.fillRect(pixel - 2, SPENDING - length, 4, length);
  }
  context.globalAlpha = 1;
  if (wholeCost === 0) return;
  context.strokeStyle = colour("accent");
  context.lineWidth = 1.5;
  context.stroke();
}
