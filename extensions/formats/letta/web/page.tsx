import type { PageParts } from "#page/extensions";
import { Glimpse } from "#page/payloads/Glimpse";
import { textIn } from "#page/thread/event/contents";

/** Letta's blocks of memory. */
export const PAGE: PageParts = {
  payloads: {
    "letta-agent.block": (payload) => {
      const [label, value] = [textIn(payload, "label"), textIn(payload, "value")];
      return label === null || value === null ? null : <Glimpse value={{ [label]: value }} />;
    },
  },
};
