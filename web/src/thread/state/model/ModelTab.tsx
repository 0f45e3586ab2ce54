import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Json } from "../../../api/exact";
import { Copy } from "../../../parts/Copy";
import { Failure } from "../../../parts/Failure";
import { counted } from "../../../parts/format";
import { LongText } from "../../../parts/text/LongText";
import { useCursor } from "../../cursor";
import { requestQuery } from "../../queries";
import { AtVersion } from "../AtVersion";
import { ItemList } from "../ItemList";
import { countedTexts, modelMessage } from "./modelMessage";
import { ModelMessageCard } from "./ModelMessageCard";
import { type ModelRequest, modelRequest, requestTexts } from "./modelRequest";
import { RequestCard } from "./RequestCard";
import styles from "../state.module.css";
import { keptItems } from "../tail";
import { TokenTotal } from "./TokenTotal";
import { useTokens } from "./useTokens";
import { itemsQuery, useTail, wholeText } from "../useTail";

/** With marks, which tell the messages that the view added. */
const ASKED = "openai?mark=true";
/** Up to this many characters tokens are counted without a request of the reader. */
const MOST_UNASKED = 2_000_000;

/** What a model would be sent at the cursor, message by message. */
export function ModelTab() {
  const { threadId, at } = useCursor();
  const [isJson, setJson] = useState(false);
  const { tail, first, error, earlier } = useTail(ASKED);
  const shownAt = tail?.at ?? at;
  const { data: before } = useQuery({
    ...itemsQuery(threadId, ASKED, shownAt - 1, tail?.after ?? 0),
    enabled: tail !== undefined,
  });
  const { data: asked, error: refused } = useQuery(requestQuery(threadId, shownAt));
  const request = useMemo(() => (asked === undefined ? null : modelRequest(asked)), [asked]);
  const [askedAt, askAt] = useState<number | null>(null);
  const { data: whole } = useQuery({
    ...itemsQuery(threadId, ASKED, shownAt, 0),
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
  if (error !== null) return <Failure error={error} />;
  if (tail === undefined) return <p className="loading">Reading what the model is sent…</p>;
  const kept = before === undefined ? tail.items.length : keptItems(before.items, tail.items);
  const known = before?.items.length ?? tail.items.length;
  return (
    <AtVersion version={tail.at}>
      <div className={styles["tools"]}>
        <span className={styles["note"]}>
          {tail.after > 0 && "last "}
          {counted(tail.items.length, "message")}
        </span>
        {refused === null && (
          <TokenTotal
            texts={texts}
            tokens={tokens}
            isReading={askedAt === shownAt && all === undefined}
            onAsk={() => {
              askAt(shownAt);
            }}
          />
        )}
        <button
          type="button"
          className={styles["push"]}
          aria-pressed={isJson}
          onClick={() => {
            setJson(!isJson);
          }}
        >
          As JSON
        </button>
        <Copy text={() => wholeText(threadId, "openai", shownAt)}>Copy JSON</Copy>
      </div>
      {!isJson && <Request request={request} error={refused} />}
      {isJson && <Whole at={shownAt} />}
      {!isJson && tail.items.length === 0 && tail.after === 0 && (
        <p className={styles["note"]}>Nothing yet: no message up to here is for the model.</p>
      )}
      {!isJson && (
        <ItemList
          label="Messages for the model"
          count={tail.items.length}
          tail={{ first, hasEarlier: tail.after > 0, onEarlier: earlier }}
        >
          {(index) => {
            const message = modelMessage(tail.items[index] ?? null);
            return (
              <ModelMessageCard
                message={message}
                change={index < kept ? null : index < known ? "changed" : "new"}
                tokens={tokens.of(countedTexts(message))}
              />
            );
          }}
        </ItemList>
      )}
    </AtVersion>
  );
}

/** What was sent beside the messages; where it cannot be read, they stand all the same. */
function Request({ request, error }: { request: ModelRequest | null; error: Error | null }) {
  if (error !== null) return <Failure error={error} />;
  if (request === null) return <p className="loading">Reading the request…</p>;
  return <RequestCard request={request} />;
}

function textsOf(item: Json): string[] {
  return countedTexts(modelMessage(item));
}

/** The view whole, exactly as the service writes it. */
function Whole({ at }: { at: number }) {
  const { threadId } = useCursor();
  const { data, error } = useQuery({
    queryKey: ["whole view", threadId, "openai", at],
    queryFn: () => wholeText(threadId, "openai", at),
  });
  if (error !== null) return <Failure error={error} />;
  return (
    <div className={styles["scroller"]} tabIndex={0} role="region" aria-label="JSON">
      {data === undefined ? <p className="loading">Reading…</p> : <LongText text={data} />}
    </div>
  );
}
