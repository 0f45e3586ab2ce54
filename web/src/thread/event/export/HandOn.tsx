import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { accessQuery } from "../../../app/access";
import { Copy } from "../../../parts/Copy";
import { download } from "../../../parts/download";
import { Failure } from "../../../parts/Failure";
import { useCursor } from "../../cursor";
import styles from "../event.module.css";
import { evidenceOf, exportedThread, messagesAt, testOf } from "./handedOn";
import { curlOf, type Place, pythonOf } from "./snippets";

/** Documentation of the view that the snippets read. */
const DOCUMENTATION = "/docs#/views/read_view_v1_threads__thread_id__views__view__get";

/** A menu: the thread at this point for other tools. */
export function HandOn() {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const panel = useId();
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = (event: PointerEvent): void => {
      if (event.target instanceof Node && place.current?.contains(event.target) === false) {
        setOpen(false);
      }
    };
    document.addEventListener("pointerdown", onPointer);
    return () => {
      document.removeEventListener("pointerdown", onPointer);
    };
  }, [isOpen]);
  return (
    <div
      ref={place}
      className={styles["handOn"]}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.preventDefault();
        setOpen(false);
        place.current?.querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={panel}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        Hand on <span aria-hidden="true">▾</span>
      </button>
      {isOpen && (
        <div id={panel} role="group" aria-label="Hand on" className={styles["menu"]}>
          <Ways />
        </div>
      )}
    </div>
  );
}

function Ways() {
  const { threadId, at } = useCursor();
  const { data: access } = useQuery(accessQuery);
  const [error, fail] = useState<unknown>(null);
  const needsKey = access?.anonymous === false;
  const place: Place = { service: location.origin, threadId, at, needsKey };
  const save = (name: string, content: () => Promise<Blob>) => async (): Promise<void> => {
    fail(null);
    try {
      download(name, await content());
    } catch (refused) {
      fail(refused);
    }
  };
  const thread = save(`${threadId}.jsonl`, () => exportedThread(threadId));
  const evidence = save(`${threadId}-evidence.json`, () => evidenceOf(threadId));
  return (
    <>
      <h2>Copy, as of version {at}</h2>
      <Copy text={() => linkTo(at)}>Link to this place</Copy>
      <Copy text={() => messagesAt(threadId, at)}>OpenAI messages</Copy>
      <Copy text={curlOf(place)}>curl command</Copy>
      <Copy text={pythonOf(place)}>Python program</Copy>
      <Copy text={() => testOf(place)}>pytest case</Copy>
      <h2>Download the whole thread</h2>
      <button type="button" className="quiet" onClick={() => void thread()}>
        JSON lines, for agentlog import
      </button>
      <button type="button" className="quiet" onClick={() => void evidence()}>
        Evidence, for agentlog verify
      </button>
      {error !== null && <Failure error={error} />}
      <h2>Look up</h2>
      <a href={DOCUMENTATION}>This view in the API’s documentation</a>
    </>
  );
}

/** The address of this place; it stays there when the thread grows. */
function linkTo(at: number): string {
  const link = new URL(location.href);
  link.searchParams.set("at", String(at));
  return link.href;
}
