import type { Timeline } from "../../timeline/timeline";
import type { Course } from "../course";
import { firstAfter } from "./lanes";
import type { Axis } from "./axis";

/** What each model call took, by the time of its answer, in units of the axis. */
export interface Spending {
  readonly units: readonly number[];
  /** Of that call; 0 where it says none. */
  readonly tokens: readonly number[];
  /** Of this call and all before it; 0 where no cost is known. */
  readonly costs: readonly number[];
  readonly mostTokens: number;
  readonly wholeCost: number;
  /** How many of these costs are computed. */
  readonly computedCalls: number;
}

/** Returns what a thread spent over time; null where no call says. */
export function spendingOf(
  timeline: Pick<Timeline, "length" | "span">,
  { times }: Course,
  axis: Axis,
): Spending | null {
  const calls: { unit: number; tokens: number; cost: number }[] = [];
  let computedCalls = 0;
  for (let index = 0; index < timeline.length; index += 1) {
    const { tokens, costUsd, to, isComputed } = timeline.span(index);
    if (to === null || (tokens === null && costUsd === null)) continue;
    const unit = axis.toUnit(times[to] ?? 0);
    calls.push({ unit, tokens: tokens ?? 0, cost: costUsd ?? 0 });
    if (isComputed) computedCalls += 1;
  }
  if (calls.length === 0) return null;
  calls.sort((one, other) => one.unit - other.unit);
  let wholeCost = 0;
  return {
    units: calls.map(({ unit }) => unit),
    tokens: calls.map(({ tokens }) => tokens),
    costs: calls.map(({ cost }) => (wholeCost += cost)),
    mostTokens: calls.reduce((most, { tokens }) => Math.max(most, tokens), 0),
    wholeCost,
    computedCalls,
  };
}

/** Returns the cost up to a place; null where no cost is known at all. */
export function costUpTo({ units, costs, wholeCost }: Spending, unit: number): number | null {
  return wholeCost === 0 ? null : (costs[firstAfter(units, unit) - 1] ?? 0);
}
