import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { duration } from "../../../parts/format";
import styles from "../history.module.css";
import type { Line } from "./labels";
import type { Pair } from "../../timeline/pairing";
import { doubtOf, wordOf } from "../../timeline/span";
import { Unfold } from "./WorkerEvents";

interface EventLineProps {
  readonly line: Line;
  readonly pair: Pair | undefined;
  /** Whether it is the result of a call. */
  readonly isResult: boolean;
  /** What was found in the line, in place of its text. */
  readonly excerpt: ReactNode;
  readonly tabIndex: number;
  readonly onJump: (version: number) => void;
  /** Whether the events of its worker's thread are shown, and the way to change that. */
  readonly isUnfolded: boolean;
  readonly onUnfold: () => void;
  /** The way to choose the event; of its first line only. */
  readonly onChoose: (() => void) | null;
}

const WAITING: Partial<Record<string, string>> = {
  call: "no result yet",
  approval: "waits for approval",
  worker: "at work",
  model: "no response yet",
};

/** One line of an event: a call with its outcome, or a result with its call. */
export function EventLine(props: EventLineProps) {
  const { line, pair, isResult, excerpt, tabIndex, onJump, onChoose, isUnfolded, onUnfold } = props;
  const name = line.name === "" ? (pair?.span.name ?? "result") : line.name;
  const said = (
    <>
      <bdi className={styles["name"]}>
        {isResult && "↳ "}
        {name}
      </bdi>{" "}
      <bdi className={styles["said"]}>{excerpt ?? line.text}</bdi>
    </>
  );
  return (
    <div className={styles["line"]}>
      {onChoose === null ? (
        <span className={styles["what"]}>{said}</span>
      ) : (
        <button
          type="button"
          className={`${styles["what"] ?? ""} ${styles["choose"] ?? ""}`}
          tabIndex={tabIndex}
          onClick={onChoose}
        >
          {said}
        </button>
      )}
      {line.isBroken === true && <span className="badge warn">not JSON</span>}
      {line.threadId !== undefined && (
        <>
          <Unfold
            threadId={line.threadId}
            isOpen={isUnfolded}
            onToggle={onUnfold}
            tabIndex={tabIndex}
          />
          <Link
            className={styles["link"]}
            to="/threads/$threadId"
            params={{ threadId: line.threadId }}
            tabIndex={tabIndex}
          >
            open thread
          </Link>
        </>
      )}
      {pair !== undefined && <Outcome pair={pair} tabIndex={tabIndex} onJump={onJump} />}
    </div>
  );
}

interface OutcomeProps extends Pick<EventLineProps, "tabIndex" | "onJump"> {
  readonly pair: Pair;
}

/** How a call went, with the way to its other end. */
function Outcome({ pair, tabIndex, onJump }: OutcomeProps) {
  const { partner, isAsking } = pair;
  if (partner === null) return <Course pair={pair} />;
  const { said, suspicion, colour } = courseOf(pair);
  return (
    <button
      type="button"
      className={`${styles["jump"] ?? ""} ${colour}`}
      tabIndex={tabIndex}
      title={`${suspicion}go to the ${isAsking ? "end" : "beginning"}, version ${partner}`}
      aria-label={`${said} ${suspicion}go to version ${partner}`}
      onClick={() => {
        onJump(partner);
      }}
    >
      {said} <span aria-hidden>{isAsking ? "↓" : "↑"}</span>
    </button>
  );
}

/** How long a call took and whether it failed; of one that is open, what it waits for. */
export function Course({ pair }: { pair: Pair }) {
  const { span, partner, isAsking } = pair;
  if (partner !== null) {
    const { said, suspicion, colour } = courseOf(pair);
    return (
      <span className={`${styles["jump"] ?? ""} ${colour}`} title={suspicion}>
        {said}
      </span>
    );
  }
  if (!isAsking) return null; // the event says so
  const isUnanswered = span.suspected.includes("unanswered");
  return (
    <span
      className={`badge ${isUnanswered ? "warn" : "accent"}`}
      title={isUnanswered ? "Without a result: views for models add one" : undefined}
    >
      {isUnanswered ? "unanswered" : (WAITING[span.kind] ?? "open")}
    </span>
  );
}

function courseOf({ span }: Pair): { said: string; suspicion: string; colour: string } {
  const isStated = ["failed", "told", "denied"].includes(span.outcome ?? "");
  const doubt = doubtOf(span);
  const took = span.elapsedMs === null ? "" : duration(span.elapsedMs);
  const parts = [took, isStated ? span.outcome : "", doubt === "" || isStated ? "" : "?"];
  const word = span.outcome === "denied" ? "failed" : wordOf(span);
  return {
    said: parts.filter((part) => part !== "").join(" · "),
    suspicion: doubt === "" ? "" : `${doubt}; `,
    colour: (word === null ? "" : styles[word]) ?? "",
  };
}
