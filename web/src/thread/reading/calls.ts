import type { Json } from "../../api/exact";
import { listIn, type Recorded } from "../event/contents";
import { type Pair, pairsOf } from "../timeline/pairing";
import type { Timeline } from "../timeline/timeline";

/** A call with its result. */
export interface CallOf {
  readonly call: Json;
  /** Where the timeline has it. */
  readonly pair: Pair | undefined;
  /** The event with its result, and the result in it; undefined where there is none yet. */
  readonly answered: Recorded | undefined;
  readonly result: Json | undefined;
}

/** The versions of the events that have the results of an event's first calls. */
export function answersTo(version: number, timeline: Timeline, most: number): number[] {
  const pairs = pairsOf("tool_calls", version, timeline.at(version));
  const answers = pairs.slice(0, most).map((pair) => pair.partner ?? version);
  return [...new Set(answers)].filter((answer) => answer !== version);
}

/** The calls of an event with their results, as far as those are read. */
export function callsOf(
  event: Recorded,
  timeline: Timeline,
  at: (version: number) => Recorded | undefined,
): CallOf[] {
  const pairs = pairsOf(event.type, event.version, timeline.at(event.version));
  return listIn(event.message, "calls").map((call, ordinal) => {
    const pair = pairs[ordinal];
    const answered = pair?.partner == null ? undefined : at(pair.partner);
    if (pair === undefined || answered === undefined) {
      return { call, pair, answered: undefined, result: undefined };
    }
    const results = pairsOf(answered.type, answered.version, timeline.at(answered.version));
    const index = results.findIndex(
      ({ span }) => span.from === event.version && span.ordinal === pair.span.ordinal,
    );
    return { call, pair, answered, result: listIn(answered.message, "results")[index] };
  });
}
