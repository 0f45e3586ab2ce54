import { visible } from "../../../parts/visible/visible";
import type { Span, Timeline } from "../../timeline/timeline";

/** The name of a span: a tool, a worker's objective, a model; else its kind. */
export function nameOf({ kind, name, hint }: Span): string {
  return visible((kind === "worker" ? (hint ?? name) : name) ?? kind);
}

/** What a span's bar says: its name and hint; the hint alone where its siblings have that name. */
export function labelOf(span: Span, alike: ReadonlySet<number>): string {
  const name = nameOf(span);
  if (span.kind !== "call" || span.hint === null) return name;
  const hint = visible(span.hint);
  return span.from !== null && alike.has(span.from) ? hint : `${name} ${hint}`;
}

/** Returns the versions at which one tool was called more than once, and no other. */
export function alikeIn(timeline: Pick<Timeline, "length" | "span">): ReadonlySet<number> {
  const names = new Map<number, string | null>();
  const alike = new Set<number>();
  for (let index = 0; index < timeline.length; index += 1) {
    const { kind, name, from } = timeline.span(index);
    if (kind !== "call" || from === null) continue;
    if (!names.has(from)) names.set(from, name);
    else if (names.get(from) === name) alike.add(from);
    else names.set(from, null);
  }
  for (const version of alike) if (names.get(version) === null) alike.delete(version);
  return alike;
}
