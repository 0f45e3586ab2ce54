import type { PageParts } from "#page/extensions";
import { Glimpse } from "#page/payloads/Glimpse";
import { isFields, jsonIn, textIn } from "#page/thread/event/contents";

/** What SWE-agent's editor keeps of its state. */
export const PAGE: PageParts = {
  payloads: {
    "swe-agent.step": (payload) => {
      const state = jsonIn(textIn(payload, "state") ?? "");
      return isFields(state) ? <Glimpse value={state} /> : null;
    },
  },
};
