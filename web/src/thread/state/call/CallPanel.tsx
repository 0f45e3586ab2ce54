import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { printExact } from "../../../api/exact";
import { Copy } from "../../../parts/Copy";
import { Failure } from "../../../parts/Failure";
import { countOf } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { ItemList } from "../ItemList";
import { countedTexts, modelMessage } from "../model/modelMessage";
import { ModelMessageCard } from "../model/ModelMessageCard";
import { RequestCard } from "../model/RequestCard";
import { useTokens } from "../model/useTokens";
import styles from "../state.module.css";
import { CacheNote } from "./CacheNote";
import { ContextBar } from "./ContextBar";
import { besideOf, callParts, callQuery, messagesOf, type ModelCall } from "./modelCall";

/** The request that the event under the cursor came of, and what came back. */
export function CallPanel() {
  const { threadId, at } = useCursor();
  const { data, error } = useQuery({
    ...callQuery(threadId, at),
    placeholderData: (before: ModelCall | undefined) =>
      before?.threadId === threadId && before.answer?.versions.includes(at) ? before : undefined,
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <p className="loading">Reading the request…</p>;
  return <Call call={data} />;
}

function Call({ call }: { call: ModelCall }) {
  const parts = useMemo(() => callParts(call), [call]);
  const texts = useMemo(() => parts.flatMap((part) => part.texts), [parts]);
  const tokens = useTokens(texts);
  const messages = messagesOf(call);
  const apart = messages.length - call.messages.length;
  const fresh = call.previous === null ? messages.length : apart + call.previous.sharedMessages;
  return (
    <section className={styles["panel"]} aria-label={`Request sent after version ${call.after}`}>
      <Answered call={call} />
      <ContextBar call={call} parts={parts} tokens={tokens} />
      <CacheNote call={call} />
      <RequestCard request={besideOf(call)} />
      <ItemList label="Messages of the request" count={messages.length} tail={ALL}>
        {(index) => {
          const message = modelMessage(messages[index] ?? null);
          return (
            <ModelMessageCard
              message={message}
              change={index < fresh ? null : "new"}
              tokens={tokens.of(countedTexts(message))}
            />
          );
        }}
      </ItemList>
    </section>
  );
}

const ALL = { first: 0, hasEarlier: false, onEarlier: () => undefined };

/** Where the request stands, whether it is exact, and where its answer is. */
function Answered({ call }: { call: ModelCall }) {
  const { go, at } = useCursor();
  const versions = call.answer?.versions ?? [];
  const { source, missing } = call;
  return (
    <p className={`${styles["note"] ?? ""} ${styles["tools"] ?? ""}`}>
      <span>
        {countOf(call.messages.length, "message")} sent after version {call.after},{" "}
        {versions.length === 0 ? "not answered yet" : "answered at"}
      </span>
      {versions.map((version) => (
        <button
          key={version}
          type="button"
          className="quiet"
          aria-current={version === at ? "step" : undefined}
          onClick={() => {
            go(version);
          }}
        >
          {version}
        </button>
      ))}
      <span
        className={`badge ${source === "recorded" ? "ok" : ""}`}
        title={missing.length > 0 ? `Not on record: ${missing.join(", ")}` : undefined}
      >
        {source === "recorded" ? "exactly as sent" : "reconstructed"}
      </span>
      {missing.length > 0 && <span>without {missing.join(", ")}</span>}
      <Copy text={() => printExact(call as never, 2)}>Copy JSON</Copy>
    </p>
  );
}
