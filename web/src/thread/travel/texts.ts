import { countOf, duration } from "../../parts/format";
import { doubtOf } from "../timeline/span";
import type { Span, Timeline } from "../timeline/timeline";
import type { Axis } from "./chart/axis";
import type { CriticalPath } from "./chart/critical";
import { nameOf } from "./chart/labels";
import { type Course, versionAt } from "./course";

const MOST_NAMED = 2;

/** Returns in a few words what happened at a version: `run_tests failed`. */
export function versionText(spans: readonly Span[], version: number): string {
  const said = [...new Set(spans.filter(({ kind }) => kind !== "gap").map(words))];
  const more = said.length - MOST_NAMED;
  return said.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");

  function words(span: Span): string {
    const name = span.kind === "call" ? (span.name ?? "call") : span.kind;
    const doubt = span.to === null || span.to === version ? doubtOf(span) : "";
    return doubt === "" ? outcomeOf(span, name) : `${outcomeOf(span, name)}, ${doubt}`;
  }

  function outcomeOf(span: Span, name: string): string {
    if (span.from === span.to) return span.outcome === null ? name : `${name} ${span.outcome}`;
    if (span.to === version) return `${name} ${statedOutcome(span) ?? "answered"}`;
    return span.kind === "call" ? `${name} called` : `${name} began`;
  }
}

function statedOutcome({ outcome }: Span): string | null {
  return outcome === "unstated" || outcome === "told" ? null : outcome;
}

/** What a bar is: tool, hint, elapsed time, how it ended, where. */
export function barText(span: Span, { times, isTimed }: Course): string {
  const isBar = span.from !== null && span.to !== null && span.from !== span.to;
  const elapsed = isBar ? (times[span.to] ?? 0) - (times[span.from] ?? 0) : 0;
  return [
    nameOf(span),
    span.kind === "worker" ? null : span.hint,
    isTimed && elapsed > 0 ? duration(elapsed) : null,
    statedOutcome(span),
    doubtOf(span) === "" ? null : doubtOf(span),
    isBar ? `v${span.from} to v${span.to}` : `v${span.from ?? span.to}`,
  ]
    .filter((text) => text !== null)
    .join(" · ");
}

/** What is at a place without a bar. */
export function placeText(unit: number, axis: Axis, course: Course): string {
  const gap = axis.gaps.find(({ start, end }) => start < unit && unit < end);
  if (gap !== undefined) return `pause of ${duration(gap.to - gap.from)}, drawn shorter`;
  const time = axis.toTime(unit);
  const version = `v${versionAt(course, time)}`;
  return course.isTimed ? `${duration(time)} · ${version}` : version;
}

/** What the run waited for: `critical path 48 s: model 31 s, tools 17 s`; empty without times. */
export function criticalText({ elapsed }: CriticalPath): string {
  const parts = [...elapsed].sort(([, one], [, other]) => other - one);
  if (parts.length === 0) return "";
  const whole = parts.reduce((sum, [, time]) => sum + time, 0);
  const named = parts.map(([kind, time]) => `${PLURALS[kind] ?? kind} ${duration(time)}`);
  return `critical path ${duration(whole)}: ${named.join(", ")}`;
}

const PLURALS: Readonly<Record<string, string>> = {
  call: "tools",
  worker: "workers",
  approval: "approvals",
};

/** A text alternative of the chart. */
export function summaryText(timeline: Timeline, course: Course, lanes: readonly string[]): string {
  const time = course.isTimed ? duration(course.times[course.last]) : "in their order";
  return `${countOf(timeline.length, "span")}, ${time}; lanes: ${lanes.join(", ")}`;
}
