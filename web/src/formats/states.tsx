import { fieldsIn, isFields, jsonIn, textIn } from "../thread/event/contents";
import type { Draw } from "./draw";
import { Glimpse } from "./Glimpse";

/** What SWE-agent, Letta and LangGraph keep of their state. */
export const STATES: Readonly<Record<string, Draw>> = {
  "swe-agent.step": (payload) => {
    const state = jsonIn(textIn(payload, "state") ?? "");
    return isFields(state) ? <Glimpse value={state} /> : null;
  },
  "letta-agent.block": (payload) => {
    const [label, value] = [textIn(payload, "label"), textIn(payload, "value")];
    return label === null || value === null ? null : <Glimpse value={{ [label]: value }} />;
  },
  "langgraph.checkpoint": (payload) => {
    const values = fieldsIn(payload, "values");
    return Object.keys(values).length === 0 ? null : <Glimpse value={values} />;
  },
};
