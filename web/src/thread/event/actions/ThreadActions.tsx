import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accessQuery, useMay } from "../../../app/access";
import { evidenceOf } from "../../../audit/queries";
import { Copy } from "../../../parts/Copy";
import { DownloadButton } from "../../../parts/DownloadButton";
import { Popover } from "../../../parts/Popover";
import { useCursor } from "../../cursor";
import { ForkDialog } from "../../forks/ForkDialog";
import type { Recorded } from "../contents";
import { beginningQuery } from "../queries";
import { Redact } from "../Redact";
import styles from "../event.module.css";
import { RedactThread } from "./RedactThread";
import { exportedThread, messagesAt, testOf } from "./copies";
import { curlOf, pythonOf, type Source } from "./snippets";

/** Documentation of the view that the snippets read. */
const DOCUMENTATION = "/docs#/views/read_view_v1_threads__thread_id__views__view__get";

/** A menu: copies and downloads of the thread at this point for other tools, and erasures. */
export function ThreadActions() {
  const { threadId } = useCursor();
  const [erased, setErased] = useState<Recorded | "thread" | null>(null);
  const [forked, setForked] = useState<Recorded | null>(null);
  const close = (): void => {
    setErased(null);
    setForked(null);
  };
  return (
    <>
      <Popover label="Actions">
        <Entries onErase={setErased} onFork={setForked} />
      </Popover>
      {forked !== null && <ForkDialog threadId={threadId} event={forked} onClose={close} />}
      {erased === "thread" && <RedactThread threadId={threadId} onClose={close} />}
      {erased !== null && erased !== "thread" && <Redact event={erased} onClose={close} />}
    </>
  );
}

interface EntriesProps {
  readonly onErase: (what: Recorded | "thread") => void;
  readonly onFork: (event: Recorded) => void;
}

function Entries({ onErase, onFork }: EntriesProps) {
  const { threadId, at } = useCursor();
  const mayRedact = useMay("redact");
  const { data: event } = useQuery(beginningQuery(threadId, at));
  const isMessage = event?.kind === "message" && event.redactedBy === null;
  const { data: access } = useQuery(accessQuery);
  const needsKey = access?.anonymous === false;
  const source: Source = { service: location.origin, threadId, at, needsKey };
  return (
    <div className={styles["menu"]}>
      {event != null && event.version === at && (
        <button
          type="button"
          className="quiet"
          onClick={() => {
            onFork(event);
          }}
        >
          Fork from version {at}…
        </button>
      )}
      <h2>Copy, as of version {at}</h2>
      <Copy text={() => linkTo(at)}>Link to this place</Copy>
      <Copy text={() => messagesAt(threadId, at)}>OpenAI messages</Copy>
      <Copy text={curlOf(source)}>curl command</Copy>
      <Copy text={pythonOf(source)}>Python program</Copy>
      <Copy text={() => testOf(source)}>pytest case</Copy>
      <h2>Download the whole thread</h2>
      <DownloadButton
        className="quiet"
        name={`${threadId}.jsonl`}
        content={() => exportedThread(threadId)}
      >
        JSON lines, for agentlog import
      </DownloadButton>
      <DownloadButton
        className="quiet"
        name={`${threadId}-evidence.json`}
        content={() => evidenceOf(threadId)}
      >
        Evidence, for agentlog verify
      </DownloadButton>
      {mayRedact && (
        <>
          <h2>Erase contents for ever</h2>
          {isMessage && (
            <button
              type="button"
              className="quiet"
              onClick={() => {
                onErase(event);
              }}
            >
              Of the message at version {at}…
            </button>
          )}
          <button
            type="button"
            className="quiet"
            onClick={() => {
              onErase("thread");
            }}
          >
            Of the whole thread…
          </button>
        </>
      )}
      <h2>Look up</h2>
      <a href={DOCUMENTATION}>This view in the API’s documentation</a>
    </div>
  );
}

/** The address of this place; it stays there when the thread grows. */
function linkTo(at: number): string {
  const link = new URL(location.href);
  link.searchParams.set("at", String(at));
  return link.href;
}
