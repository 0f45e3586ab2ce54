import type { ReactElement } from "react";
import type { Json } from "../api/exact";
import { ADDED, type Draw } from "../extensions";
import { fieldsIn } from "../thread/event/contents";
import { Glimpse } from "./Glimpse";

/** Payloads that the page knows by itself: checkpoints of LangGraph. */
export const PAYLOADS: Readonly<Record<string, Draw>> = {
  "langgraph.checkpoint": (payload) => {
    const values = fieldsIn(payload, "values");
    return Object.keys(values).length === 0 ? null : <Glimpse value={values} />;
  },
};

/** A payload drawn by what it means; null where it is best read as JSON. */
export function payloadShown(type: string, payload: Json | undefined): ReactElement | null {
  if (payload === undefined) return null;
  const draw = Object.hasOwn(PAYLOADS, type) ? PAYLOADS[type] : ADDED.payloads[type];
  return draw === undefined ? null : draw(payload);
}
