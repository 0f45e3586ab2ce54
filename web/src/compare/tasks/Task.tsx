import { Link } from "@tanstack/react-router";
import { count, countOf } from "../../parts/format";
import { quote, scalarTerm } from "../../parts/text/terms";
import type { Glimpse, RunParting, RunSet } from "../queries";
import { oneOfEach, pairOf, valueText } from "./sets";
import styles from "./tasks.module.css";

interface TaskProps {
  readonly set: RunSet;
  /** Metadata key that names the task, and the filter of failed runs. */
  readonly by: string;
  readonly failed: string;
  /** Whether all of its partings and runs are shown. */
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

/** The cells of a task: its runs, their ends, and where they part. */
export function Task({ set, by, failed, isOpen, onOpen }: TaskProps) {
  const pair = pairOf(set);
  const [first, ...others] = set.partings;
  const hidden = set.partingCount - set.partings.length;
  return (
    <>
      <div role="cell">
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={onOpen}>
          {isOpen ? "▾" : "▸"} {valueText(set.value)}
        </button>
      </div>
      <div role="cell" className={styles["figure"]}>
        {count(set.runs)}
      </div>
      <div role="cell" className={styles["ends"]}>
        {set.failed > 0 && <span className="badge bad">{count(set.failed)} failed</span>}
        {set.succeeded > 0 && <span className="badge ok">{count(set.succeeded)} succeeded</span>}
        {set.unknown > 0 && <span className="badge">{count(set.unknown)} unknown</span>}
      </div>
      <div role="cell" className={styles["partings"]}>
        {first === undefined ? (
          <span>{set.runs === 1 ? "one run only" : "no difference"}</span>
        ) : (
          <Parting parting={first} mayOpen={isOpen} />
        )}
        {isOpen &&
          others.map((parting, index) => <Parting key={index} parting={parting} mayOpen />)}
        {isOpen && hidden > 0 && <small>{countOf(hidden, "later parting")} left out</small>}
        {isOpen && (
          <div className={styles["runs"]}>
            {set.threads.map(({ threadId, end, verdict }) => (
              <span key={threadId}>
                <Link to="/threads/$threadId" params={{ threadId }}>
                  {threadId}
                </Link>{" "}
                {verdict !== "unknown" && (
                  <span className={`badge ${TONES[verdict]}`}>{verdict}</span>
                )}{" "}
                <span className="badge" title="How the thread ended">
                  {end.replace("_", " ")}
                </span>
              </span>
            ))}
          </div>
        )}
      </div>
      <div role="cell">
        {pair.length === 2 && (
          <Link
            to="/compare"
            search={{ thread: pair }}
            className="button"
            aria-label={`Side by side: two runs of ${valueText(set.value)}`}
          >
            Side by side
          </Link>
        )}{" "}
        {set.runs > 1 && (
          <Link
            to="/compare"
            search={{
              matrix: true,
              filter: `metadata.${quote(by.replace(/^metadata\./, ""))}:${scalarTerm(set.value)}`,
              ...(failed !== "" && { failed }),
            }}
            className="button"
            aria-label={`Matrix of all runs of ${valueText(set.value)}`}
          >
            Matrix
          </Link>
        )}
      </div>
    </>
  );
}

const TONES = { failed: "bad", succeeded: "ok" } as const;

function Parting({ parting, mayOpen }: { parting: RunParting; mayOpen: boolean }) {
  return (
    <div>
      <small>
        after {countOf(parting.equal, "equal call")}{" "}
        {mayOpen && (
          <Link to="/compare" search={{ thread: oneOfEach(parting), steps: "calls" }}>
            open these
          </Link>
        )}
      </small>
      {parting.branches.map(({ did, runs, failed, succeeded, threads }) => (
        <div key={threads[0]} className={styles["branch"]} title={threads.join(", ")}>
          <span className={styles["figure"]}>{count(runs)}×</span>
          <Did did={did} />
          {failed > 0 && <span className="badge bad">{count(failed)} failed</span>}
          {succeeded > 0 && <span className="badge ok">{count(succeeded)} succeeded</span>}
        </div>
      ))}
    </div>
  );
}

function Did({ did }: { did: Glimpse | null }) {
  if (did === null) return <em>no more calls</em>;
  return (
    <span className={styles["did"]}>
      <strong>{did.tools.length > 0 ? did.tools.join(", ") : did.type}</strong>{" "}
      <code>{did.hint}</code>
    </span>
  );
}
