import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type CSSProperties, useState } from "react";
import { Failure } from "../../../parts/Failure";
import { countOf } from "../../../parts/format";
import { headQuery } from "../../queries";
import { LINES, type StoredEvent, useEvents } from "../events";
import styles from "../history.module.css";
import own from "./WorkerEvents.module.css";
import { colourOf, groupOf } from "../../../parts/kinds";
import { linesOf } from "./labels";
import { Sign } from "./Sign";

/** Height in pixels of the block that scrolls. */
export const WORKER_HEIGHT = 220;
const LIVE_MS = 3000;
const FIRST = [1];
const MOST = LINES.events;

/** The events of a worker's thread, up to 200; its own workers unfold in the same way. */
export function WorkerEvents({ threadId }: { threadId: string }) {
  const { data: head, error } = useQuery({
    ...headQuery(threadId),
    refetchInterval: ({ state }) => (state.data?.status === "open" ? LIVE_MS : false),
  });
  const last = Math.min(head?.version ?? 0, MOST);
  const events = useEvents(threadId, head === undefined ? [] : FIRST, last);
  const failure = error ?? events.error;
  if (failure !== null) return <Failure error={failure} />;
  if (head === undefined) return <p className="loading">Reading…</p>;
  const items = Array.from({ length: last }, (_, index) => events.at(index + 1));
  return (
    <>
      <ol className={own["events"]}>
        {items.map(
          (event) =>
            event !== undefined && <WorkerEvent key={event.version} {...{ threadId, event }} />,
        )}
      </ol>
      {head.version > MOST && (
        <p className={own["all"]}>
          <Link to="/threads/$threadId" params={{ threadId }}>
            All {countOf(head.version, "event")}
          </Link>
        </p>
      )}
    </>
  );
}

function WorkerEvent({ threadId, event }: { threadId: string; event: StoredEvent }) {
  const [isOpen, setOpen] = useState(false);
  const group = groupOf(event.type);
  const [line] = linesOf(event);
  return (
    <li>
      <div
        className={styles["event"]}
        data-group={group}
        style={{ "--group": colourOf(group) } as CSSProperties}
      >
        <span className={styles["version"]}>{event.version}</span>
        <Sign group={group} />
        <div className={`${styles["line"] ?? ""} ${own["line"] ?? ""}`}>
          <Link
            className={`${styles["what"] ?? ""} ${styles["choose"] ?? ""}`}
            to="/threads/$threadId"
            params={{ threadId }}
            search={{ at: event.version }}
          >
            <bdi className={styles["name"]}>{line?.name === "" ? "result" : line?.name}</bdi>{" "}
            <bdi className={styles["said"]}>{line?.text}</bdi>
          </Link>
          {line?.threadId !== undefined && (
            <Unfold
              threadId={line.threadId}
              isOpen={isOpen}
              onToggle={() => {
                setOpen(!isOpen);
              }}
            />
          )}
        </div>
      </div>
      {isOpen && line?.threadId !== undefined && <WorkerEvents threadId={line.threadId} />}
    </li>
  );
}

interface UnfoldProps {
  readonly threadId: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly tabIndex?: number;
}

/** Shows or hides the events of a worker's thread. */
export function Unfold({ threadId, isOpen, onToggle, tabIndex }: UnfoldProps) {
  return (
    <button
      type="button"
      className={styles["jump"]}
      aria-expanded={isOpen}
      aria-label={`Events of ${threadId}`}
      tabIndex={tabIndex}
      onClick={onToggle}
    >
      {isOpen ? "▾" : "▸"} events
    </button>
  );
}
