import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { useShortcuts } from "../../app/keyboard";
import { Failure } from "../../parts/Failure";
import { count } from "../../parts/format";
import { useCursor } from "../cursor";
import { type Why, whyQuery } from "./queries";
import { withoutFiles } from "../../parts/text/dataUri";
import type { Word } from "../timeline/span";
import {
  callText,
  effortText,
  failureName,
  failureText,
  leadOf,
  loopText,
  outcomeText,
} from "./texts";
import { useOpen } from "./useOpen";
import styles from "./why.module.css";

const BADGES = { succeeded: "ok", failed: "bad", unknown: "" };

/** Why the run went as it went, in five lines with links; folded, in one. */
export function WhyCard() {
  const { threadId } = useCursor();
  const { data: why, error } = useQuery(whyQuery(threadId));
  const [isOpen, toggle] = useOpen();
  useShortcuts("Why", [{ key: "w", does: "fold or unfold why it went so", run: toggle }]);
  return (
    <section className={styles["card"]} aria-label="Why" data-verdict={why?.outcome.verdict}>
      <button
        type="button"
        className={`quiet ${styles["fold"] ?? ""}`}
        aria-expanded={isOpen}
        title={`${isOpen ? "Fold" : "Unfold"} why it went so (w)`}
        onClick={toggle}
      >
        Why <span aria-hidden>{isOpen ? "▾" : "▸"}</span>
      </button>
      {error !== null && <Failure error={error} />}
      {why !== undefined && (isOpen ? <Lines why={why} /> : <OneLine why={why} />)}
      {why === undefined && error === null && <div className={styles[isOpen ? "lines" : "line"]} />}
    </section>
  );
}

function Lines({ why }: { why: Why }) {
  const { name, text } = failureText(why);
  const first = why.failure ?? why.doubt;
  return (
    <dl className={styles["lines"]}>
      <Line name="Outcome" version={why.outcome.version}>
        <span className={`badge ${BADGES[why.outcome.verdict]}`}>{why.outcome.verdict}</span>{" "}
        {outcomeText(why)}
      </Line>
      <Line name={failureName(why)} version={first?.version ?? null} word={first?.word}>
        {first !== null && <b>{name} </b>}
        {withoutFiles(text)}
      </Line>
      <Line
        name={first === null ? "Last call" : "Call before it"}
        version={why.before?.version ?? null}
      >
        {why.before === null ? "none" : callText(why.before)}
      </Line>
      <Line name="In all" version={null}>
        {effortText(why)}
        {why.loops.map((loop) => (
          <Fragment key={`${loop.version} ${loop.name}`}>
            {" · "}
            <To version={loop.version}>{loopText(loop)}</To>
          </Fragment>
        ))}
        {why.loopCount > why.loops.length &&
          ` · ${count(why.loopCount - why.loops.length)} more loops`}
      </Line>
      <Line name="Said last" version={why.last?.version ?? null}>
        {withoutFiles(why.last?.text ?? "nothing")}
      </Line>
    </dl>
  );
}

/** The outcome and what failed first. */
function OneLine({ why }: { why: Why }) {
  const { name, text } = failureText(why);
  const lead = leadOf(why);
  return (
    <p className={styles["line"]} data-word={lead?.word}>
      <span className={`badge ${BADGES[why.outcome.verdict]}`}>{why.outcome.verdict}</span>{" "}
      {lead === null ? (
        outcomeText(why)
      ) : (
        <To version={lead.version}>
          <b>{name}</b> {withoutFiles(text)}
        </To>
      )}
    </p>
  );
}

interface LineProps {
  readonly name: string;
  /** Where to look; null where there is no such place. */
  readonly version: number | null;
  /** What is known of the failure that it is of, if it is of one. */
  readonly word?: Word | undefined;
  readonly children: ReactNode;
}

function Line({ name, version, word, children }: LineProps) {
  return (
    <div className={styles["row"]} data-word={word}>
      <dt>{name}</dt>
      <dd>{version === null ? children : <To version={version}>{children}</To>}</dd>
      <dd className={styles["place"]}>{version !== null && `v${version}`}</dd>
    </div>
  );
}

function To({ version, children }: { version: number; children: ReactNode }) {
  return (
    <Link
      to="."
      search={(before) => ({ ...before, at: version })}
      title={`Go to version ${version}`}
    >
      {children}
    </Link>
  );
}
