import type { Json } from "../../../api/exact";
import { pairsOf } from "../../timeline/pairing";
import type { Span, ThreadTimeline } from "../../timeline/timeline";
import { jsonIn, listIn, type Recorded, textIn, valueIn } from "../contents";

/** What a call was asked with; null where it is not on record. */
export function argumentsOf(event: Recorded | null | undefined, call: Span): Json {
  const recorded = event == null ? undefined : listIn(event.message, "calls")[call.ordinal];
  const text = textIn(recorded, "argumentsText");
  return valueIn(recorded, "args") ?? (text === null ? null : (jsonIn(text) ?? text));
}

/** What a call came to, its error or else its output; null where there is none. */
export function resultOf(
  event: Recorded | null | undefined,
  call: Span,
  timeline: ThreadTimeline,
): Json {
  if (event == null) return null;
  const pairs = pairsOf(event.type, event.version, timeline.at(event.version));
  const index = pairs.findIndex(
    ({ span }) => span.from === call.from && span.ordinal === call.ordinal,
  );
  const result = listIn(event.message, "results")[index];
  const value = valueIn(result, "error") ?? valueIn(result, "output") ?? null;
  return typeof value === "string" ? (jsonIn(value) ?? value) : value;
}
