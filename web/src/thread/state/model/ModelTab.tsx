import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Copy } from "../../../parts/Copy";
import { Failure } from "../../../parts/Failure";
import { countOf } from "../../../parts/format";
import { LongText } from "../../../parts/text/LongText";
import { useCursor } from "../../cursor";
import { AtVersion } from "../AtVersion";
import { CallPanel } from "../call/CallPanel";
import { ItemList } from "../ItemList";
import styles from "../state.module.css";
import { wholeText } from "../useTail";
import { countedTexts, modelMessage } from "./modelMessage";
import { ModelMessageCard } from "./ModelMessageCard";
import type { ModelRequest } from "./modelRequest";
import { RequestCard } from "./RequestCard";
import { TokenTotal } from "./TokenTotal";
import { useModelMessages } from "./useModelMessages";

/** What a model is sent: the request that the event came of, or what would be sent after it. */
export function ModelTab() {
  const { address, change } = useCursor();
  const shows = address.call === true ? "before" : "after";
  return (
    <div className={styles["panel"]}>
      <div className={styles["tools"]} role="group" aria-label="Which request">
        {CHOICES.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            aria-pressed={shows === id}
            onClick={() => {
              change({ call: id === "before" ? true : undefined }, { replace: true });
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div className={styles["rest"]}>{shows === "before" ? <CallPanel /> : <SentNext />}</div>
    </div>
  );
}

const CHOICES = [
  { id: "before", name: "What produced this" },
  { id: "after", name: "What is sent next" },
] as const;

/** What a model would be sent at the cursor, message by message. */
function SentNext() {
  const { threadId } = useCursor();
  const [isJson, setJson] = useState(false);
  const { tail, first, error, earlier, shownAt, request, changeOf, counting } = useModelMessages();
  if (error !== null) return <Failure error={error} />;
  if (tail === undefined) return <p className="loading">Reading what the model is sent…</p>;
  return (
    <AtVersion version={tail.at}>
      <div className={styles["tools"]}>
        <span className={styles["note"]}>
          {tail.after > 0 && "last "}
          {countOf(tail.items.length, "message")}
        </span>
        {request.error === null && <TokenTotal {...counting} />}
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
      {!isJson && <Request request={request.value} error={request.error} />}
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
                change={changeOf(index)}
                tokens={counting.tokens.of(countedTexts(message))}
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
