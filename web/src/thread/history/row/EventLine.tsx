import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { duration } from "../../../parts/format";
import styles from "../history.module.css";
import type { Line } from "./labels";
import type { Pair } from "../../timeline/pairing";
import { rulesOf } from "../../timeline/timeline";
import { Unfold } from "./WorkerEvents";

interface EventLineProps {
  readonly line: Line;
  readonly pair: Pair | undefined;
  /** Whether it is the result of a call. */
  readonly isResult: boolean;
  /** What was found in the line, in place of its text. */
  readonly found: ReactNode;
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
  const { line, pair, isResult, found, tabIndex, onJump, onChoose, isUnfolded, onUnfold } = props;
  const name = line.name === "" ? (pair?.span.name ?? "result") : line.name;
  const said = (
    <>
      <bdi className={styles["name"]}>
        {isResult && "↳ "}
        {name}
      </bdi>{" "}
      <bdi className={styles["said"]}>{found ?? line.text}</bdi>
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

type OutcomeProps = Pick<EventLineProps, "tabIndex" | "onJump"> & { readonly pair: Pair };

function Outcome({ pair, tabIndex, onJump }: OutcomeProps) {
  const { span, partner, isAsking } = pair;
  const hasFailed = span.outcome === "failed" || span.outcome === "denied";
  const doubt = rulesOf(span);
  const isUnanswered = span.suspected.includes("unanswered");
  if (partner === null) {
    if (!isAsking) {
      return null; // the event says so
    }
    return (
      <span
        className={`badge ${isUnanswered ? "warn" : "accent"}`}
        title={isUnanswered ? "Without a result: views for models add one" : undefined}
      >
        {isUnanswered ? "unanswered" : (WAITING[span.kind] ?? "open")}
      </span>
    );
  }
  const outcome = hasFailed ? span.outcome : "";
  const took = span.elapsedMs === null ? "" : duration(span.elapsedMs);
  const said = [took, outcome, doubt === "" ? "" : "?"].filter((part) => part !== "").join(" · ");
  const suspicion = doubt === "" ? "" : `suspected: ${doubt}; `;
  const colour = hasFailed ? styles["failed"] : doubt === "" ? "" : styles["doubted"];
  return (
    <button
      type="button"
      className={`${styles["jump"] ?? ""} ${colour ?? ""}`}
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
