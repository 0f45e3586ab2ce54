import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Json } from "../../../api/exact";
import { useCursor } from "../../cursor";
import { requestQuery } from "../../queries";
import { keptItems } from "../tail";
import { itemsQuery, useTail } from "../useTail";
import { countedTexts, modelMessage } from "./modelMessage";
import { modelRequest, requestTexts } from "./modelRequest";
import { useTokens } from "./useTokens";

/** With marks, which tell the messages that the view added. */
const VIEW = "openai?mark=true";
/** Up to this many characters tokens are counted without a request of the reader. */
const MOST_UNASKED = 2_000_000;

/** What a model would be sent at the cursor, what of it is new, and its tokens. */
export function useModelMessages() {
  const { threadId, at } = useCursor();
  const { tail, first, error, earlier } = useTail(VIEW);
  const shownAt = tail?.at ?? at;
  const { data: before } = useQuery({
    ...itemsQuery(threadId, VIEW, shownAt - 1, tail?.after ?? 0),
    enabled: tail !== undefined,
  });
  const { data: recorded, error: refused } = useQuery(requestQuery(threadId, shownAt));
  const request = useMemo(
    () => (recorded === undefined ? null : modelRequest(recorded)),
    [recorded],
  );
  const [askedAt, askAt] = useState<number | null>(null);
  const { data: whole } = useQuery({
    ...itemsQuery(threadId, VIEW, shownAt, 0),
    enabled: askedAt === shownAt,
  });
  const all = tail?.after === 0 ? tail : whole;
  const isCounted = all !== undefined && (all.size <= MOST_UNASKED || askedAt === shownAt);
  const texts = useMemo(
    () =>
      isCounted && request !== null
        ? [...requestTexts(request), ...all.items.flatMap(textsOf)]
        : null,
    [isCounted, all, request],
  );
  const tokens = useTokens(texts);
  const kept = before === undefined ? Infinity : keptItems(before.items, tail?.items ?? []);
  const known = before?.items.length ?? Infinity;
  return {
    tail,
    first,
    error,
    earlier,
    shownAt,
    request: { value: request, error: refused },
    /** How a message came about, by its index: null where it was there before. */
    changeOf: (index: number): "changed" | "new" | null => {
      if (index < kept) return null;
      return index < known ? "changed" : "new";
    },
    counting: {
      texts,
      tokens,
      isReading: askedAt === shownAt && all === undefined,
      onAsk: () => {
        askAt(shownAt);
      },
    },
  };
}

function textsOf(item: Json): string[] {
  return countedTexts(modelMessage(item));
}
